// Frames that begin with the cut-off head of another answer. The heads have the forms of five public reports, with invented values.
import { expect, test } from 'vitest';
import { serviceFetch } from '../../src/fetch/index.ts';
import { collect, defineTool, type Hook, newClient, type OperationOutcome } from '../../src/overlay/index.ts';
import { fakeKey } from '../../src/testing/index.ts';
import { taken, textIn } from '../support/both-ways.ts';
import { sharedFake } from '../support/fake.ts';

const fake = await sharedFake();
const request = { model: 'glm-5.1', messages: [{ role: 'user', content: 'hi' }] };

const old = '"created":1777552855,"object":"chat.completion.chunk","model":"glm-5.1"';
const heads: [where: string, head: string][] = [
  ['within a value', '{"id":"old-1","created":1777552855,"object":"chat.c'],
  ['after a value', `{"id":"old-1",${old},"choices":[{"index":0,"delta":{"role":"assistant"`],
  ['within a key', `{"id":"old-1",${old},"choices":[{"index":0,"delta":{"role`],
  ['within the role', `{"id":"old-1",${old},"choices":[{"index":0,"delta":{"role":"a`],
  ['where the content begins', `{"id":"old-1",${old},"choices":[{"index":0,"delta":{"role":"assistant","content":"`],
  ['within the content', `{"id": "old-1",${old},"choices":[{"index":0,"delta":{"content":"say \\"}{\\" \\\\`],
  ['within a tool call', `{"id":"old-1",${old},"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_1","fu`],
  ['after a second head', '{"id":"old-1","created":1777data: {"id":"old-2","cre'],
];
const separators = ['data: ', 'data:', '', '\ndata: '];

function chunk(content: string, finish_reason?: string, id: string | undefined = 'new-1'): string {
  return JSON.stringify({
    id,
    created: 2,
    choices: [{ index: 0, delta: { role: 'assistant', content }, ...(finish_reason ? { finish_reason } : {}) }],
  });
}

function framesOf(...data: string[]): { frames: string[] } {
  return { frames: [...data, '[DONE]'].map((one) => `data: ${one}\n\n`) };
}

/** A hook, and its outcomes at the end of each call. */
function outcomes(): { hook: Hook; ended: OperationOutcome[]; chunks: unknown[] } {
  const ended: OperationOutcome[] = [];
  const chunks: unknown[] = [];
  return { ended, chunks, hook: { onEnd: (_, outcome) => void ended.push(outcome), onChunk: (_, { content }) => void chunks.push(content()) } };
}

const malformed = { kind: 'stream', problem: 'malformed', operation: 'chat.stream' };

test.each(heads)('a head that is cut off %s is dropped and counted, and the answer is complete', async (_where, head) => {
  for (const separator of separators) {
    const { hook, ended, chunks } = outcomes();
    const client = newClient(fake.configFor({ hooks: [hook] }));
    const first = framesOf(head + separator + chunk('Hel'), chunk('lo'), chunk('', 'stop'));
    const middle = framesOf(chunk('Hel'), `${head}${separator}${chunk('lo')} `, chunk('', 'stop'));
    fake.answer('chat.create', first, middle);
    const { items, error } = await taken(client.chat().stream(undefined, request));
    expect([error, textIn(items)]).toEqual([undefined, 'Hello']);
    expect((await collect(client.chat().stream(undefined, request))).choices[0]?.message.content).toBe('Hello');
    expect(ended.map(({ kind, droppedHeads, responseId }) => [kind, droppedHeads, responseId])).toEqual(Array(2).fill(['ok', 1, 'new-1']));
    expect(chunks.slice(0, 3)).toEqual(items);
  }
});

test.each([
  ['has the id of the chunk', '{"id":"new-1","created":1data: ', chunk('x')],
  ['has no id', '{"created":1,"object":"chatdata: ', chunk('x')],
  ['is cut off before its id', '{"id":data: ', chunk('x')],
  ['is cut off within its id', '{"id":"oldata: ', chunk('x')],
  ['has an empty id', '{"id":"","created":1data: ', chunk('x')],
  ['has the id of the chunk in a second head', '{"id":"old-1","credata: {"id":"new-1","crdata: ', chunk('x')],
  ['is whole', `${chunk('y', undefined, 'old-1')}data: `, chunk('x')],
  ['is no object', '["id":"old-1",data: ', chunk('x')],
  ['stands before a chunk that is cut off', '{"id":"old-1","credata: ', chunk('x').slice(0, -2)],
  ['stands before a chunk without an id', '{"id":"old-1","credata: ', '{"choices":[]}'],
  ['stands before a chunk whose id is a number', '{"id":"old-1","credata: ', '{"id":7,"choices":[]}'],
  ['stands before an object that is no chunk', '{"id":"old-1","credata: ', '{"id":"new-1"}'],
  ['stands before the sentinel', '{"id":"old-1","credata: ', '[DONE]'],
  ['stands before a chunk and other words', '{"id":"old-1","credata: ', `${chunk('x')} and so on`],
  ['stands before a chunk with a brace too many', '{"id":"old-1","credata: ', `${chunk('x')}}`],
])('a head that %s: the frame is malformed', async (_what, head, rest) => {
  const { hook, ended } = outcomes();
  const client = newClient(fake.configFor({ hooks: [hook] }));
  fake.answer('chat.create', framesOf(chunk('Hel'), head + rest, chunk('lo', 'stop')));
  const { items, error } = await taken(client.chat().stream(undefined, request));
  expect(error).toMatchObject(malformed);
  expect(textIn(items)).toBe('Hel');
  expect(ended).toMatchObject([{ kind: 'error', droppedHeads: 0 }]);
});

test('a chunk of another answer does not go on with a text that has begun', async () => {
  const client = newClient(fake.configFor());
  const restarted = `${heads[0]?.[1]}data: ${chunk('Hello', undefined, 'new-2')}`;
  fake.answer(
    'chat.create',
    framesOf(chunk('Hel', undefined, 'old-1'), restarted),
    framesOf(chunk('', undefined, 'old-1'), restarted, chunk('', 'stop')),
  );
  const { items, error } = await taken(client.chat().stream(undefined, request));
  expect([textIn(items), error]).toEqual(['Hel', expect.objectContaining(malformed)]);
  // Its role alone is not a part of the text.
  expect(textIn((await taken(client.chat().stream(undefined, request))).items)).toBe('Hello');
});

test('an answer that quotes such frames arrives as it is', async () => {
  const { hook, ended } = outcomes();
  const client = newClient(fake.configFor({ hooks: [hook] }));
  const quoted = heads.map(([, head]) => `data: ${head}data: ${chunk('x')}\n\n`);
  fake.answer('chat.create', framesOf(...quoted.map((text) => chunk(text)), chunk('', 'stop')));
  const { items, error } = await taken(client.chat().stream(undefined, request));
  expect([error, textIn(items)]).toEqual([undefined, quoted.join('')]);
  // A cut within such an answer is not its end.
  fake.answer(
    'chat.create',
    framesOf(...quoted.map((text) => JSON.stringify({ id: 'new-1', choices: [{ delta: { content: text } }] }).slice(0, -9))),
  );
  expect(await taken(client.chat().stream(undefined, request))).toMatchObject({ items: [], error: malformed });
  expect(ended.map(({ droppedHeads }) => droppedHeads)).toEqual([0, 0]);
});

test('in the tool loop, a chunk with a call after such a head runs', async () => {
  const { hook, ended } = outcomes();
  const client = newClient(fake.configFor({ hooks: [hook] }));
  const seen: unknown[] = [];
  const tool = defineTool({ name: 'clock', description: 'The time', input: { type: 'object' }, run: (_, { callId }) => seen.push(callId) });
  const call = { index: 0, id: 'call_2', type: 'function', function: { name: 'clock', arguments: '{}' } };
  const asking = JSON.stringify({ id: 'new-1', choices: [{ index: 0, delta: { tool_calls: [call] }, finish_reason: 'tool_calls' }] });
  fake.answer('chat.create', framesOf(`${heads[6]?.[1]}data: ${asking}`), { turn: { text: 'noon' } });
  const stream = client.chat().streamWithTools(undefined, request, [tool]);
  expect([(await taken(stream)).error, seen]).toEqual([undefined, ['call_2']]);
  expect(ended.filter(({ droppedHeads }) => droppedHeads > 0)).toHaveLength(1);
});

test('the adapter for other clients writes whole frames', async () => {
  const adapted = serviceFetch({ baseURL: fake.url });
  fake.answer('chat.create', framesOf(`${heads[0]?.[1]}data: ${chunk('Hello', 'stop')}`));
  const response = await adapted(`${fake.url}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${fakeKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...request, stream: true }),
  });
  expect(await response.text()).toBe(framesOf(chunk('Hello', 'stop')).frames.join(''));
});
