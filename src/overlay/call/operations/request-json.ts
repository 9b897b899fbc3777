import type { Route } from '../../../generated/routes.ts';
import type { CallContext } from '../../context.ts';
import { fieldsOf } from '../../json/json-value.ts';
import { mendMessages } from '../../surfaces/chat/reply.ts';
import { type OnText, readJson } from '../reply/decode.ts';
import type { Reply } from '../reply/reply.ts';
import { type Received, rememberInfo } from '../reply/response-info.ts';
import { buildCall } from '../request/build-call.ts';
import type { InputOf } from '../request/input.ts';
import { send } from '../send.ts';
import type { Settings } from '../settings/settings.ts';

/** Type of an operation's JSON reply in the spec. */
export type ReplyOf<Operation> = Operation extends { responses: infer Replies } ? JsonOf<Replies[keyof Replies & Success]> : never;

type Success = 200 | 201 | 202 | 203 | 204;
/** A reply of 204 is an object without fields. */
type JsonOf<Reply> = Reply extends { content: { 'application/json': infer Json } } ? Json : Reply extends { content: unknown } ? never : object;

/** Perform an operation whose reply is JSON. `input` may throw a Problem. `operation` is the name in errors. Default: the route's id. */
export async function requestJson<Operation>(
  settings: Settings,
  route: Route<Operation>,
  ctx: CallContext,
  input: () => InputOf<Operation>,
  operation?: string,
  onText?: OnText,
): Promise<Received<ReplyOf<Operation>>> {
  const read = (reply: Reply): Promise<Received<object>> => readInformed(reply, onText);
  return (await send(buildCall(route, ctx, settings, input, operation), settings, read)) as Received<ReplyOf<Operation>>;
}

async function readInformed(reply: Reply, onText: OnText | undefined): Promise<Received<object>> {
  const value = await readJson(reply, onText);
  mendMessages(fieldsOf(value)['choices']);
  return rememberInfo(value, reply.info);
}
