import type { Route } from '../generated/routes.ts';
import { BinaryReply } from './binary.ts';
import type { CallInput } from './call.ts';
import type { Settings } from './config.ts';
import type { CallContext } from './context.ts';
import { openReply } from './request.ts';

/** Perform an operation whose reply is bytes. */
export async function requestBytes(settings: Settings, route: Route, ctx: CallContext, input: CallInput): Promise<BinaryReply> {
  return new BinaryReply(await openReply(settings, route, ctx, input));
}
