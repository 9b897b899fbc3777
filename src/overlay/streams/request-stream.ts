import type { Route } from '../../generated/routes.ts';
import { buildCall } from '../call/request/build-call.ts';
import type { InputOf } from '../call/request/input.ts';
import type { Settings } from '../call/settings/settings.ts';
import type { CallContext } from '../context.ts';
import type { StreamProtocol } from '../surfaces/protocol.ts';
import { EventStream } from './event-stream.ts';

/** Perform an operation whose response is an event stream. The request is captured now, and sent when the first item is requested. */
export function requestStream<T, Operation>(
  settings: Settings,
  route: Route<Operation>,
  ctx: CallContext,
  input: () => InputOf<Operation>,
  protocol: StreamProtocol<T>,
  operation: string,
): EventStream<T> {
  try {
    const call = buildCall(route, ctx, settings, () => ({ ...input(), stream: true }), operation);
    return new EventStream(operation, protocol, settings, call);
  } catch (problem) {
    return new EventStream(operation, protocol, settings, { problem });
  }
}
