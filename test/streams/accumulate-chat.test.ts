import { expect, test } from 'vitest';
import type { ChatChunk, ChatResponse } from '../../src/overlay/index.ts';
import { ChatAccumulator } from '../../src/overlay/streams/chat-accumulator.ts';
import type { ToolCallDelta } from '../../src/types/index.ts';

function accumulated(...chunks: ChatChunk[]): ChatResponse {
  const accumulator = new ChatAccumulator();
  for (const chunk of chunks) accumulator.add(chunk);
  return accumulator.assembled();
}

function delta(fields: NonNullable<NonNullable<ChatChunk['choices']>[number]['delta']>): ChatChunk {
  return { id: '1', choices: [{ index: 0, delta: fields }] };
}

/** Deltas as a service sends them, which is not always as the types have them. */
function calls(...pieces: unknown[]): unknown {
  return accumulated(...pieces.map((piece) => delta({ tool_calls: [piece as ToolCallDelta] }))).choices[0]?.message.tool_calls;
}

const name = 'get_weather';

/** A piece of the call at index 0, unless `more` sets another. */
const piece = (called: object, more: object = {}): object => ({ index: 0, ...more, function: called });
/** The first piece of a call, with its name. */
const first = (args?: unknown, more: object = {}): object => piece({ name, ...(args !== undefined && { arguments: args }) }, { id: 'a', ...more });
const next = (args: string, more: object = {}): object => piece({ arguments: args }, more);
const noIndex = { index: undefined };
const one = (args: string, more: object = {}): object => ({ id: 'a', function: { name, arguments: args }, ...more });

test.each<[string, unknown[], unknown[]]>([
  [
    'a call of another kind over many deltas',
    [
      { index: 0, id: 'a', type: 'custom', custom: { name: 'code', input: '' } },
      { index: 0, custom: { input: 'print(' } },
      { index: 0, custom: { input: '1)' } },
    ],
    [{ id: 'a', type: 'custom', custom: { name: 'code', input: 'print(1)' } }],
  ],
  ['a name that comes later', [next('{', { id: 'a' }), piece({ name, arguments: '}' })], [one('{}')]],
  ['a name repeated in each piece', [first('{'), piece({ name, arguments: '}' })], [one('{}')]],
  ['no index', [first('{', noIndex), next('}', noIndex)], [one('{}')]],
  ['no index, two calls', [first('{}', noIndex), first('{}', { ...noIndex, id: 'b' })], [{ id: 'a' }, { id: 'b' }]],
  [
    'no index and no id, two calls told apart by their names',
    ['{"n":1}', '{"n":2}'].map((args) => first(args, { ...noIndex, id: undefined })),
    [{ id: 'call_1' }, { id: 'call_2' }],
  ],
  ['an index that starts at 1', [first('{}', { index: 1 })], [{ id: 'a' }]],
  ['indexes with gaps', [first(), first(undefined, { index: 7, id: 'b' })], [{ id: 'a' }, { id: 'b' }]],
  ['an index used again by another call', [first('{"n":1}'), first('{"n":2}', { id: 'b' })], [one('{"n":1}'), one('{"n":2}', { id: 'b' })]],
  [
    'an index used again by another call, each in pieces with its own id',
    [first(''), next('{"n":1}', { id: 'a' }), first('', { id: 'b' }), next('{"n":', { id: 'b' }), next(' ', { id: 'a' }), next('2}', { id: 'b' })],
    [one('{"n":1} '), one('{"n":2}', { id: 'b' })],
  ],
  [
    'a new id in each piece of two calls',
    [
      first(''),
      piece({ name: null, arguments: '{"n":' }, { id: 'b' }),
      next('1}', { id: 'c' }),
      first('{"n"', { index: 1, id: 'd' }),
      piece({ name: '', arguments: ':2}' }, { index: 1, id: 'e' }),
      next(' ', { id: 'f' }),
    ],
    [one('{"n":1} '), one('{"n":2}', { id: 'd' })],
  ],
  ['empty ids of two parallel calls', [first(undefined, { id: '' }), first(undefined, { index: 1, id: '' })], [{ id: 'call_1' }, { id: 'call_2' }]],
  ['empty ids in continuations', [first('{'), next('}', { id: '' })], [one('{}')]],
  ['an extra empty piece after a finished call', [first('{}'), next('')], [one('{}')]],
  ['a parsable prefix of arguments does not end the call', [first('{"a":1}'), next(' ')], [one('{"a":1} ')]],
  ['blank arguments', [first(' \n')], [one('{}')]],
  ['null arguments', [first(null)], [one('{}')]],
  ['no arguments at all', [first()], [one('{}')]],
  ['arguments as an object', [first({ city: 'Paris' })], [one('{"city":"Paris"}')]],
])('tool calls: %s', (_name, pieces, expected) => {
  const found = calls(...pieces) as unknown[];
  expect(found).toHaveLength(expected.length);
  expect(found).toMatchObject(expected);
});

test('tool calls: a name that never comes is an error', () => {
  expect(() => calls({ index: 0, id: 'a', function: { arguments: '{}' } })).toThrow(/tool call 1 .* no name/);
});

test('choices keep their order whatever order they come in', () => {
  const response = accumulated({ choices: [{ index: 2, delta: { content: 'c' } }] }, { choices: [{ index: 0, delta: { content: 'a' } }] });
  expect(response.choices.map((choice) => choice.message.content)).toEqual(['a', 'c']);
});

test.each([-1, 0.5, Number.NaN])('an index of %d is an error', (index) => {
  expect(() => accumulated({ choices: [{ index, delta: { content: 'x' } }] })).toThrow(/index/);
});

test('a huge index needs no memory', () => {
  expect(accumulated({ choices: [{ index: 2 ** 40, delta: { content: 'x' } }] }).choices).toHaveLength(1);
});

test('text parts and audio pieces are joined', () => {
  const response = accumulated(
    delta({ content: [{ type: 'text', text: 'a' }] } as never),
    delta({ content: 'b', audio: { id: 'x', data: 'AA' } }),
    delta({ audio: { data: 'BB' } }),
  );
  expect(response.choices[0]?.message).toMatchObject({ content: 'ab', audio: { id: 'x', data: 'AABB' } });
});

test('an empty role, an empty delta, null instead of lists and chunks without choices have no effect', () => {
  const odd = [{ id: '1' }, { id: '1', choices: null }, { id: '1', choices: [{ index: 0 }] }, { id: '1', choices: [{ index: 0, delta: null }] }];
  const nulls = { id: '1', choices: [{ index: 0, delta: { role: '', content: null, reasoning_content: null, tool_calls: null } }] };
  const response = accumulated(delta({ content: 'a' }), ...([...odd, nulls] as unknown as ChatChunk[]), delta({ content: 'b' }));
  expect(response.choices).toEqual([{ index: 0, message: { role: 'assistant', content: 'ab' } }]);
});

test.each(['__proto__', 'constructor', '1', null])('an index of %j is an error or the first choice, and changes no prototype', (index) => {
  const chunk = { choices: [{ index, delta: { content: 'x' } }] } as unknown as ChatChunk;
  if (index === null) expect(accumulated(chunk).choices).toHaveLength(1);
  else expect(() => accumulated(chunk)).toThrow(/index/);
  expect(({} as Record<string, unknown>)['delta']).toBeUndefined();
});
