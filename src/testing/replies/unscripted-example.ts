import { batchCancel, filesDelete } from '../../generated/routes.ts';
import { askedId } from '../requests/asked-id.ts';
import { bytesOf, textOf, type WireReply, withBlocks } from '../sockets/wire-reply.ts';
import { servedLinks } from './media.ts';
import { exampleWire, type Scene } from './reply.ts';

/** The first example of an operation, with the asked id, and with links to results below this origin. */
export function unscriptedExample({ route, request, stream }: Scene, origin: string): WireReply {
  const example = exampleWire(route, stream);
  const blocks = example.blocks.map((block) => servedLinks(textOf(block), origin));
  const id = route === batchCancel || route === filesDelete ? askedId(route, request)?.id : undefined;
  const asked = id === undefined ? blocks : blocks.map((text) => JSON.stringify({ ...JSON.parse(text), id }));
  const wire = withBlocks(example, asked.map(bytesOf));
  if (route.id !== 'voice.list') return wire;
  // Recorded: the service sends this list without a content type.
  const { 'content-type': _, ...headers } = wire.headers;
  return { ...wire, headers };
}
