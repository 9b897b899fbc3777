import { describe, expect, test } from 'vitest';
import { type Client, newClient } from '../../src/overlay/index.ts';
import { surfaces, taken, transports } from '../support/both-ways.ts';
import { turns } from '../support/clock.ts';
import { failure } from '../support/failure.ts';
import { startRawServer } from '../support/raw-server.ts';

const hints = 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'.repeat(3);
const answers = {
  chat: { id: '1', choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'hi' } }] },
  responses: { id: '1', object: 'response', status: 'completed', output: [{}] },
  messages: { id: '1', type: 'message', role: 'assistant', content: [{ type: 'text', text: 'hi' }], stop_reason: 'end_turn' },
} as const;

/** Breaks off each reply, or each but the first. `used` has for each POST the number of earlier ones on its connection. */
async function breaking(
  start: string,
  end: 'reset' | 'close',
  whole: object | undefined,
): Promise<{ readonly url: string; readonly used: number[] }> {
  const used: number[] = [];
  let first = whole && JSON.stringify(whole);
  const { url } = await startRawServer(
    (socket) => {
      let count = 0;
      socket.on('data', (block) => {
        // The header may come alone; the JSON body ends the request.
        if (!block.toString('latin1').endsWith('}')) return;
        used.push(count++);
        if (first !== undefined) {
          socket.write(`HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${first.length}\r\n\r\n${first}`);
          first = undefined;
        } else if (end === 'close') socket.end(start);
        else {
          // Together with a reset, bytes look like a close. The client runs in this event loop: let it read them first.
          socket.write(start);
          void turns().then(() => socket.resetAndDestroy());
        }
      });
    },
    { eager: true },
  );
  return { url, used };
}

// `fetch` does not report whether bytes came before a reset, and counts bytes of earlier replies before a close.
describe.each([
  ['no byte', 'reset', '', { 'node:http': 4, fetch: 4, 'fetch on a used socket': 4 }],
  ['no byte', 'close', '', { 'node:http': 4, fetch: 4, 'fetch on a used socket': 1 }],
  ['half a header', 'reset', 'HTTP/1.1 200 OK\r\ncontent-ty', { 'node:http': 1, fetch: 4, 'fetch on a used socket': 4 }],
  ['half a header', 'close', 'HTTP/1.1 200 OK\r\ncontent-ty', { 'node:http': 1, fetch: 1, 'fetch on a used socket': 1 }],
  ['three 103', 'reset', hints, { 'node:http': 1, fetch: 4, 'fetch on a used socket': 4 }],
  ['three 103', 'close', hints, { 'node:http': 1, fetch: 1, 'fetch on a used socket': 1 }],
] as const)('%s, then a %s', (_name, end, start, posts) => {
  describe.each(transports)('$transport', ({ transport, overrides }) => {
    describe.each(surfaces)('$surface', ({ surface, create, stream }) => {
      const clientOf = (url: string): Client => newClient({ apiKey: 'test-key', endpoints: url, retryDelay: 1, ...overrides });
      const expected = posts[transport as 'node:http' | 'fetch'];

      test('a new connection: a billed call is sent as often as promised, whole or streamed', async () => {
        for (const call of [wholeFailure, streamFailure]) {
          const { url, used } = await breaking(start, end, undefined);
          expect(await call(clientOf(url))).toMatchObject({ kind: 'connection', attempts: expected });
          expect(used).toEqual(Array.from({ length: expected }, () => 0));
        }
      });

      test('a used connection: a billed call is sent as often as promised, whole or streamed', async () => {
        const again = transport === 'fetch' ? posts['fetch on a used socket'] : expected;
        for (const call of [wholeFailure, streamFailure]) {
          const { url, used } = await breaking(start, end, answers[surface]);
          const client = clientOf(url);
          await create(client);
          await turns();
          expect(await call(client)).toMatchObject({ kind: 'connection', attempts: again });
          expect(used).toEqual([0, 1, ...Array.from({ length: again - 1 }, () => 0)]);
        }
      });

      async function streamFailure(client: Client): Promise<unknown> {
        return (await taken(stream(client))).error;
      }

      function wholeFailure(client: Client): Promise<unknown> {
        return failure(create(client));
      }
    });
  });
});
