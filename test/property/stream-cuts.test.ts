import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ChatChunk, isModelsvcError, newClient } from '../../src/overlay/index.ts';

/** A client whose stream arrives in exactly these blocks. */
function clientFor(blocks: readonly Uint8Array[]) {
  return newClient({
    apiKey: 'test-key',
    httpClient: async () =>
      new Response(
        new ReadableStream({
          start(controller) {
            for (const block of blocks) controller.enqueue(block);
            controller.close();
          },
        }),
        { headers: { 'content-type': 'text/event-stream' } },
      ),
  });
}

const request = { model: 'glm-4.6', messages: [{ role: 'user', content: 'hi' }] };
const encoder = new TextEncoder();

function cut(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const edges = [...new Set([0, ...places.map((place) => place % (bytes.length + 1)), bytes.length])].sort((a, b) => a - b);
  return edges.slice(1).map((edge, index) => bytes.slice(edges[index], edge));
}

async function received(blocks: readonly Uint8Array[]): Promise<ChatChunk[]> {
  const chunks: ChatChunk[] = [];
  for await (const chunk of clientFor(blocks).chat().stream(undefined, request)) chunks.push(chunk);
  return chunks;
}

const text = fc.string({ unit: 'grapheme', maxLength: 12 });
const chunk = fc.record({ id: fc.constant('1'), choices: fc.tuple(fc.record({ index: fc.constant(0), delta: fc.record({ content: text }) })) });
const frame = fc.record({
  chunk,
  ending: fc.constantFrom('\n', '\r\n', '\r'),
  comment: fc.option(fc.constantFrom(': keep-alive', ':')),
  space: fc.boolean(),
});

test('any cut of any valid stream, with any line ending, gives the same chunks', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(frame, { minLength: 1, maxLength: 8 }),
      fc.array(fc.nat(), { maxLength: 40 }),
      fc.boolean(),
      async (frames, places, bom) => {
        const body = frames.map(({ chunk, ending, comment, space }) => {
          const lines = [...(comment === null ? [] : [comment]), `data:${space ? ' ' : ''}${JSON.stringify(chunk)}`, '', ''];
          return lines.join(ending);
        });
        const bytes = encoder.encode(`${bom ? '\ufeff' : ''}${body.join('')}data: [DONE]\n\n`);
        expect(await received(cut(bytes, places))).toEqual(frames.map((one) => one.chunk));
      },
    ),
    { numRuns: 400 },
  );
});

test('a stream cut off anywhere gives a prefix of its chunks and then an error, because it is incomplete', async () => {
  const frames = ['a', 'b', 'c'].map((content) => ({ id: '1', choices: [{ index: 0, delta: { content } }] }));
  const bytes = encoder.encode(`${frames.map((one) => `data: ${JSON.stringify(one)}\n\n`).join('')}data: [DONE]\n\n`);
  await fc.assert(
    fc.asyncProperty(fc.nat({ max: bytes.length - '[DONE]\n\n'.length }), async (length) => {
      const chunks: ChatChunk[] = [];
      let failure: unknown;
      try {
        for await (const one of clientFor([bytes.slice(0, length)])
          .chat()
          .stream(undefined, request))
          chunks.push(one);
      } catch (error) {
        failure = error;
      }
      expect(frames.slice(0, chunks.length)).toEqual(chunks);
      expect(isModelsvcError(failure, 'stream') && failure.problem).toBe('truncated');
    }),
    { numRuns: 200 },
  );
});
