import type { Route } from '../../generated/routes.ts';
import { openBytes } from '../call/reply/decode.ts';
import { buildCall, type CallInput } from '../call/request/build-call.ts';
import { send } from '../call/send.ts';
import type { Settings } from '../call/settings/settings.ts';
import type { CallContext } from '../context.ts';
import { BinaryReply } from './binary.ts';

/** Perform an operation whose response is binary. */
export async function requestBytes(settings: Settings, route: Route, ctx: CallContext, input: () => CallInput): Promise<BinaryReply> {
  return send(buildCall(route, ctx, settings, input), settings, async (reply) => {
    await openBytes(reply);
    return new BinaryReply(reply);
  });
}
