import type { Client } from '../../src/overlay/index.ts';
import { surfaces, taken } from './both-ways.ts';
import { everyOperation } from './every-operation.ts';

/** Each way by which a client sends requests. A rejection is the error of the call, or of its stream. */
export const everyWay: readonly (readonly [name: string, perform: (client: Client) => Promise<unknown>])[] = [
  ...Object.entries(everyOperation).map(([id, { perform }]) => [id, perform] as const),
  ...surfaces.map(({ surface, stream }) => [`a stream of ${surface}`, (client: Client) => ended(stream(client))] as const),
  ['a binding', (client) => client.bindings('chat').GET('/models')],
  ['detection', (client) => client.detection().probeWithBilledChat(undefined)],
  ['a wait', (client) => client.waitForResult(undefined, 'task-1')],
];

async function ended(stream: AsyncIterable<object>): Promise<unknown> {
  const { items, error } = await taken(stream);
  if (error !== undefined) throw error;
  return items;
}
