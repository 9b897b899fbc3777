import { expect, test } from 'vitest';
import type { AnthropicReply, AnthropicStreamEvent } from '../../src/overlay/index.ts';
import { MessageAccumulator } from '../../src/overlay/streams/messages-accumulator.ts';

function events(...payloads: { type: string; [field: string]: unknown }[]): AnthropicStreamEvent[] {
  return payloads.map((data) => ({ type: data.type, data }) as unknown as AnthropicStreamEvent);
}

const start = {
  type: 'message_start',
  message: {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'glm-5',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 7, output_tokens: 0 },
  },
};

function accumulated(...payloads: { type: string; [field: string]: unknown }[]): AnthropicReply {
  const accumulator = new MessageAccumulator();
  for (const event of events(...payloads)) accumulator.add(event);
  return accumulator.assembled();
}

const text = (index: number, piece: string) => ({ type: 'content_block_delta', index, delta: { type: 'text_delta', text: piece } });
const json = (index: number, piece: string) => ({ type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json: piece } });
const block = (index: number, content: object) => ({ type: 'content_block_start', index, content_block: content });

test('text, thinking with its signature and tool input, interleaved and out of order', () => {
  const message = accumulated(
    start,
    block(1, { type: 'text', text: '' }),
    block(0, { type: 'thinking', thinking: '' }),
    { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'so' } },
    text(1, 'y'),
    { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 'sig' } },
    block(2, { type: 'tool_use', id: 'call_1', name: 'f', input: {} }),
    json(2, '{"a"'),
    text(1, 'es'),
    json(2, ':1}'),
    { type: 'ping' },
    { type: 'something_new', x: 1 },
    { type: 'content_block_delta', index: 1, delta: { type: 'new_delta', y: 1 } },
    { type: 'message_delta', delta: { stop_reason: 'tool_use', stop_sequence: null }, usage: { output_tokens: 9 } },
    { type: 'message_stop' },
  );
  expect(message.content).toEqual([
    { type: 'thinking', thinking: 'so', signature: 'sig' },
    { type: 'text', text: 'yes' },
    { type: 'tool_use', id: 'call_1', name: 'f', input: { a: 1 } },
  ]);
  expect([message.text(), message.thinking(), message.stop_reason]).toEqual(['yes', 'so', 'tool_use']);
});

test("this service's usage comes whole at the end, and the start event keeps its own", () => {
  const end = {
    type: 'message_delta',
    delta: { stop_reason: 'end_turn' },
    usage: { input_tokens: 12, output_tokens: 9, cache_read_input_tokens: 3 },
  };
  expect(accumulated(start, end).usage).toEqual({ input_tokens: 12, output_tokens: 9, cache_read_input_tokens: 3 });
  expect(start.message.usage).toEqual({ input_tokens: 7, output_tokens: 0 });
});

test.each([{}, '', ' ', null, undefined])('a tool whose input begins as %j and goes no further has an empty object', (input) => {
  expect(accumulated(start, block(0, { type: 'tool_use', id: 'a', name: 'f', input })).content[0]).toEqual({
    type: 'tool_use',
    id: 'a',
    name: 'f',
    input: {},
  });
});

test.each([
  ['no message_start', [text(0, 'x')]],
  ['a block that never began', [start, text(3, 'x')]],
  ['a negative index', [start, block(-1, { type: 'text' })]],
  ['an index that is a name', [start, block('__proto__' as never, { type: 'text' })]],
])('%s is an error', (_name, payloads) => {
  expect(() => accumulated(...(payloads as { type: string }[]))).toThrow(/anthropic\.stream/);
});

test('blocks that never stopped, and a stop without an end, leave what there is', () => {
  const message = accumulated(start, block(0, { type: 'text', text: '' }), text(0, 'half'), { type: 'message_stop' });
  expect([message.text(), message.stop_reason]).toEqual(['half', null]);
});
