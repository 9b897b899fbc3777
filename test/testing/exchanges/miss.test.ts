// A miss over requests that bring ids of their own, which differ in each run.
import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { replayExchanges } from '../../../src/testing/index.ts';
import { newFile, recorder } from './support.ts';

type Body = Readonly<Record<string, unknown>>;

/** A conversation of so many calls. Each run has ids of its own. */
const surfaces: Readonly<
  Record<string, (words: readonly string[]) => { readonly path: string; readonly body: Body; readonly placeOf: (at: number) => string }>
> = {
  chat: (words) => ({
    path: '/chat/completions',
    body: {
      model: 'glm-5.3',
      messages: words.flatMap((word) => {
        const id = `call_${randomBytes(12).toString('hex')}`;
        const call = { id, type: 'function', function: { name: 'find', arguments: '{}' } };
        return [
          { role: 'assistant', content: '', tool_calls: [call] },
          { role: 'tool', tool_call_id: id, content: `${word} by ${id}` },
        ];
      }),
    },
    placeOf: (at) => `body.messages[${2 * at + 1}].content`,
  }),
  messages: (words) => ({
    path: '/v1/messages',
    body: {
      model: 'glm-5.3',
      messages: words.flatMap((word) => {
        const id = `toolu_${randomBytes(12).toString('hex')}`;
        return [
          { role: 'assistant', content: [{ type: 'tool_use', id, name: 'find', input: {} }] },
          { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: word }] },
        ];
      }),
    },
    placeOf: (at) => `body.messages[${2 * at + 1}].content[0].content`,
  }),
  responses: (words) => ({
    path: '/responses',
    body: {
      model: 'glm-5.3',
      input: words.flatMap((word) => {
        const id = `call_${randomBytes(12).toString('hex')}`;
        return [
          { type: 'function_call', call_id: id, name: 'find', arguments: '{}' },
          { type: 'function_call_output', call_id: id, output: word },
        ];
      }),
    },
    placeOf: (at) => `body.input[${2 * at + 1}].output`,
  }),
};

type Fetch = ReturnType<typeof replayExchanges>;
const send = (fetch: Fetch, path: string, body: Body): Promise<Response> =>
  fetch(`https://api.z.ai${path}`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });

async function recorded(path: string, body: Body): Promise<Fetch> {
  const file = newFile();
  const cassette = recorder(file, { fetch: async () => Response.json({}) });
  await (await send(cassette, path, body)).text();
  await cassette.save();
  return replayExchanges(file);
}

describe.each(Object.entries(surfaces))('%s', (_name, conversation) => {
  test('the one word that differs is named, and no id', async () => {
    const words = fc.array(fc.stringMatching(/^[a-z]{1,9}$/), { minLength: 1, maxLength: 9 });
    await fc.assert(
      fc.asyncProperty(words, fc.nat(), async (given, pick) => {
        const at = pick % given.length;
        const { path, body } = conversation(given);
        const replay = await recorded(path, body);
        const again = conversation(given);
        expect((await send(replay, path, again.body)).status).toBe(200);
        const changed = conversation(given.map((word, index) => (index === at ? `!${word}` : word)));
        await send(replay, path, changed.body);
        expect(replay.problems).toEqual([expect.stringContaining(`differs: ${changed.placeOf(at)} differs from character 1 on. Record`)]);
      }),
      { numRuns: 30 },
    );
  });
});

test('a result for another call is named by the ids that differ', async () => {
  const calls = (first: string, second: string): Body => ({
    input: [
      { type: 'function_call', call_id: first },
      { type: 'function_call', call_id: second },
      { type: 'function_call_output', call_id: first, output: 'a' },
    ],
  });
  const [one, two] = ['call_0123456789abcdef01', 'call_fedcba987654321012'];
  const replay = await recorded('/responses', calls(one, two));
  await send(replay, '/responses', {
    input: [...(calls(one, two)['input'] as Body[]).slice(0, 2), { type: 'function_call_output', call_id: two, output: 'a' }],
  });
  expect(replay.problems[0]).toContain('differs: body.input[2].call_id differs');
});
