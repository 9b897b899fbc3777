import type { Route } from '../generated/routes.ts';
import { BinaryReply } from './binary.ts';
import { buildCall, type Call, type CallInput } from './call.ts';
import type { Settings } from './config.ts';
import type { CallContext } from './context.ts';
import { openBytes, readJson } from './decode.ts';
import { rememberInfo } from './info.ts';
import type { StreamProtocol } from './protocols.ts';
import type { Reply } from './reply.ts';
import { send } from './send.ts';
import { EventStream } from './stream.ts';

/** The JSON reply of an operation, by its types in the spec. */
export type ReplyOf<Operation> = Operation extends { responses: { 200: { content: { 'application/json': infer Reply } } } } ? Reply : never;

/** Perform an operation whose reply is JSON. */
export async function requestJson<Operation>(
  settings: Settings,
  route: Route<Operation>,
  ctx: CallContext,
  input: CallInput,
): Promise<ReplyOf<Operation>> {
  return (await send(buildCall(route, input, ctx, settings), settings, readInformed)) as ReplyOf<Operation>;
}

/** Perform an operation whose reply is an event stream. The request is taken as it is now, and sent when the first item is asked for. */
export function requestStream<T>(
  settings: Settings,
  route: Route,
  ctx: CallContext,
  input: () => CallInput,
  protocol: StreamProtocol<T>,
  operation: string,
): EventStream<T> {
  let call: Call | undefined;
  let problem: unknown;
  try {
    call = buildCall(route, { ...input(), stream: true, operation }, ctx, settings);
  } catch (error) {
    problem = error;
  }
  return new EventStream(operation, protocol, settings, call ?? { problem });
}

/** Perform an operation whose reply is bytes. */
export async function requestBytes(settings: Settings, route: Route, ctx: CallContext, input: CallInput): Promise<BinaryReply> {
  return send(buildCall(route, input, ctx, settings), settings, async (reply) => {
    await openBytes(reply);
    return new BinaryReply(reply);
  });
}

async function readInformed(reply: Reply): Promise<object> {
  const value = await readJson(reply);
  rememberInfo(value, reply.info);
  return value;
}
