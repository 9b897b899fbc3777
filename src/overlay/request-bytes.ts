import type { Route } from '../generated/routes.ts';
import type { BinaryReply } from './binary.ts';
import type { CallInput } from './call.ts';
import type { Settings } from './config.ts';
import type { CallContext } from './context.ts';
import { loaded } from './loaded.ts';
import { openReply } from './request.ts';
import { snapshot } from './snapshot.ts';

/** Perform an operation whose reply is bytes. */
export async function requestBytes(settings: Settings, route: Route, ctx: CallContext, input: CallInput): Promise<BinaryReply> {
  const kept = { ...input, body: snapshot(input.body) };
  // Loaded before anything is sent: a reply that nothing can read would hold its socket.
  const { BinaryReply } = await loaded(route.id, import('./binary.ts'));
  return new BinaryReply(await openReply(settings, route, ctx, kept));
}
