import type { Route } from '../generated/routes.ts';
import type { BinaryReply } from './binary.ts';
import type { CallInput } from './call.ts';
import type { Settings } from './config.ts';
import type { CallContext } from './context.ts';
import { Part } from './part.ts';
import { openReply } from './request.ts';
import { snapshot } from './snapshot.ts';

const binary = /* @__PURE__ */ new Part(() => import('./binary.ts'));

/** Perform an operation whose reply is bytes. */
export async function requestBytes(settings: Settings, route: Route, ctx: CallContext, input: CallInput): Promise<BinaryReply> {
  const kept = binary.here ? input : { ...input, body: snapshot(input.body) };
  // Loaded before anything is sent: a reply that nothing can read would hold its socket.
  const { BinaryReply } = binary.here ?? (await binary.load(route.id));
  return new BinaryReply(await openReply(settings, route, ctx, kept));
}
