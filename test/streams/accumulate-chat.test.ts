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

const get = { name: 'get_weather' };

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
  [
    'a name that comes later',
    [
      { index: 0, id: 'a', function: { arguments: '{' } },
      { index: 0, function: { ...get, arguments: '}' } },
    ],
    [{ id: 'a', function: { ...get, arguments: '{}' } }],
  ],
  [
    'a name repeated in each piece',
    [
      { index: 0, id: 'a', function: { ...get, arguments: '{' } },
      { index: 0, function: { ...get, arguments: '}' } },
    ],
    [{ id: 'a', function: { ...get, arguments: '{}' } }],
  ],
  [
    'no index',
    [{ id: 'a', function: { ...get, arguments: '{' } }, { function: { arguments: '}' } }],
    [{ id: 'a', function: { ...get, arguments: '{}' } }],
  ],
  [
    'no index, two calls',
    [
      { id: 'a', function: { ...get, arguments: '{}' } },
      { id: 'b', function: { ...get, arguments: '{}' } },
    ],
    [{ id: 'a' }, { id: 'b' }],
  ],
  [
    'no index and no id, two calls told apart by their names',
    [{ function: { ...get, arguments: '{"n":1}' } }, { function: { ...get, arguments: '{"n":2}' } }],
    [{ id: 'call_1' }, { id: 'call_2' }],
  ],
  ['an index that starts at 1', [{ index: 1, id: 'a', function: { ...get, arguments: '{}' } }], [{ id: 'a' }]],
  [
    'indexes with gaps',
    [
      { index: 0, id: 'a', function: { ...get } },
      { index: 7, id: 'b', function: { ...get } },
    ],
    [{ id: 'a' }, { id: 'b' }],
  ],
  [
    'an index used again by another call',
    [
      { index: 0, id: 'a', function: { ...get, arguments: '{"n":1}' } },
      { index: 0, id: 'b', function: { ...get, arguments: '{"n":2}' } },
    ],
    [
      { id: 'a', function: { arguments: '{"n":1}' } },
      { id: 'b', function: { arguments: '{"n":2}' } },
    ],
  ],
  [
    'an index used again by another call, each in pieces with its own id',
    [
      { index: 0, id: 'a', function: { ...get, arguments: '' } },
      { index: 0, id: 'a', function: { arguments: '{"n":1}' } },
      { index: 0, id: 'b', function: { ...get, arguments: '' } },
      { index: 0, id: 'b', function: { arguments: '{"n":' } },
      { index: 0, id: 'a', function: { arguments: ' ' } },
      { index: 0, id: 'b', function: { arguments: '2}' } },
    ],
    [
      { id: 'a', function: { arguments: '{"n":1} ' } },
      { id: 'b', function: { arguments: '{"n":2}' } },
    ],
  ],
  [
    'a new id in each piece of two calls',
    [
      { index: 0, id: 'a', type: 'function', function: { ...get, arguments: '' } },
      { index: 0, id: 'b', type: 'function', function: { name: null, arguments: '{"n":' } },
      { index: 0, id: 'c', type: 'function', function: { arguments: '1}' } },
      { index: 1, id: 'd', type: 'function', function: { ...get, arguments: '{"n"' } },
      { index: 1, id: 'e', type: 'function', function: { name: '', arguments: ':2}' } },
      { index: 0, id: 'f', type: 'function', function: { arguments: ' ' } },
    ],
    [
      { id: 'a', function: { ...get, arguments: '{"n":1} ' } },
      { id: 'd', function: { ...get, arguments: '{"n":2}' } },
    ],
  ],
  [
    'empty ids of two parallel calls',
    [
      { index: 0, id: '', function: { ...get } },
      { index: 1, id: '', function: { ...get } },
    ],
    [{ id: 'call_1' }, { id: 'call_2' }],
  ],
  [
    'empty ids in continuations',
    [
      { index: 0, id: 'a', function: { ...get, arguments: '{' } },
      { index: 0, id: '', function: { arguments: '}' } },
    ],
    [{ id: 'a', function: { arguments: '{}' } }],
  ],
  [
    'an extra empty piece after a finished call',
    [
      { index: 0, id: 'a', function: { ...get, arguments: '{}' } },
      { index: 0, function: { arguments: '' } },
    ],
    [{ function: { arguments: '{}' } }],
  ],
  [
    'a parsable prefix of arguments does not end the call',
    [
      { index: 0, id: 'a', function: { ...get, arguments: '{"a":1}' } },
      { index: 0, function: { arguments: ' ' } },
    ],
    [{ function: { arguments: '{"a":1} ' } }],
  ],
  ['blank arguments', [{ index: 0, id: 'a', function: { ...get, arguments: ' \n' } }], [{ function: { arguments: '{}' } }]],
  ['null arguments', [{ index: 0, id: 'a', function: { ...get, arguments: null } }], [{ function: { arguments: '{}' } }]],
  ['no arguments at all', [{ index: 0, id: 'a', function: get }], [{ function: { arguments: '{}' } }]],
  [
    'arguments as an object',
    [{ index: 0, id: 'a', function: { ...get, arguments: { city: 'Paris' } } }],
    [{ function: { arguments: '{"city":"Paris"}' } }],
  ],
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

test('a huge index costs nothing', () => {
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

test('an empty role, an empty delta, null in place of lists and chunks without choices change nothing', () => {
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
