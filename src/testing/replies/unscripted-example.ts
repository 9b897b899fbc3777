import { audioSpeech, batchCancel, filesDelete, quotaGetCreditUsage, type Route, voiceDelete } from '../../generated/routes.ts';
import { fieldsOf } from '../../overlay/json/json-value.ts';
import { askedId } from '../requests/asked-id.ts';
import { bytesOf, joined, textOf, type WireReply, withBlocks } from '../sockets/wire-reply.ts';
import { servedLinks, wavHeader } from './media.ts';
import { exampleWire, type Scene } from './reply.ts';

/** Operations that repeat the id of their request. */
const repeating: readonly Route[] = [batchCancel, filesDelete, voiceDelete];

/** The first example of an operation, or of the asked kind of usage, with the asked id, links to results below this origin, and sound in the asked format. */
export function unscriptedExample({ route, request, stream }: Scene, origin: string): WireReply {
  const example = exampleWire(route, stream, route === quotaGetCreditUsage ? request.parameters['usageType'] : undefined);
  if (route === audioSpeech && !stream)
    return fieldsOf(request.body)['response_format'] === 'wav' ? example : withBlocks(example, [joined(example.blocks).subarray(wavHeader)]);
  const blocks = example.blocks.map((block) => servedLinks(textOf(block), origin));
  const own = repeating.includes(route) ? askedId(route, request) : undefined;
  const asked = own ? blocks.map((text) => JSON.stringify({ ...JSON.parse(text), [own.field === 'voice' ? 'voice' : 'id']: own.id })) : blocks;
  const wire = withBlocks(example, asked.map(bytesOf));
  if (route.id !== 'voice.list') return wire;
  // Recorded: the service sends this list without a content type.
  const { 'content-type': _, ...headers } = wire.headers;
  return { ...wire, headers };
}
