import type { Route } from '../../generated/routes.ts';
import { openBytes } from '../call/reply/decode.ts';
import { buildCall } from '../call/request/build-call.ts';
import type { InputOf } from '../call/request/input.ts';
import { send } from '../call/send.ts';
import type { Settings } from '../call/settings/settings.ts';
import type { CallContext } from '../context.ts';
import { BinaryReply } from './binary.ts';

/** Perform an operation whose response is binary. */
export async function requestBytes<Operation>(
  settings: Settings,
  route: Route<Operation>,
  ctx: CallContext,
  input: () => InputOf<Operation>,
): Promise<BinaryReply> {
  return send(buildCall(route, ctx, settings, input), settings, async (reply) => {
    await openBytes(reply);
    return new BinaryReply(reply);
  });
}
