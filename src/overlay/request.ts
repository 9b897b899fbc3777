import type { Route } from '../generated/routes.ts';
import { buildCall, type CallInput } from './call.ts';
import type { Cancellation } from './cancellation.ts';
import type { Settings } from './config.ts';
import type { CallContext } from './context.ts';
import type { Accepted } from './decode.ts';
import { rememberInfo } from './info.ts';
import type { StreamProtocol } from './protocols.ts';
import { send } from './send.ts';
import { EventStream } from './stream.ts';
import type { StreamSource } from './stream-source.ts';

/** The JSON reply of an operation, by its types in the spec. */
export type ReplyOf<Operation> = Operation extends { responses: { 200: { content: { 'application/json': infer Reply } } } } ? Reply : never;

/** Perform an operation whose reply is JSON. */
export async function requestJson<Operation>(
  settings: Settings,
  route: Route<Operation>,
  ctx: CallContext,
  input: CallInput,
): Promise<ReplyOf<Operation>> {
  const accepted = await perform(settings, route, ctx, input);
  if (accepted.open) throw new TypeError(`${route.id} is not a JSON operation`);
  rememberInfo(accepted.value as object, accepted.info);
  return accepted.value as ReplyOf<Operation>;
}

/** Perform an operation whose reply is an event stream. Nothing is checked or sent before the first item is asked for. */
export function requestStream<T>(
  settings: Settings,
  route: Route,
  ctx: CallContext,
  input: () => CallInput,
  protocol: StreamProtocol<T>,
  operation: string,
): EventStream<T> {
  const connect = async (onStart: (cancellation: Cancellation) => void): Promise<StreamSource> => {
    return openReply(settings, route, ctx, { ...input(), stream: true, operation }, onStart);
  };
  return new EventStream(operation, connect, protocol);
}

/** Perform an operation whose reply is read by the caller: a stream or bytes. */
export async function openReply(
  settings: Settings,
  route: Route,
  ctx: CallContext,
  input: CallInput,
  onStart?: (cancellation: Cancellation) => void,
): Promise<StreamSource> {
  const accepted = await perform(settings, route, ctx, input, onStart);
  if (!accepted.open) throw new TypeError(`${route.id} is not read as a stream`);
  return accepted.source;
}

function perform(
  settings: Settings,
  route: Route,
  ctx: CallContext,
  input: CallInput,
  onStart?: (cancellation: Cancellation) => void,
): Promise<Accepted> {
  return send(buildCall(route, input, ctx, settings), settings, onStart);
}
