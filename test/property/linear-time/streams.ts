import { textLines } from '../../../src/overlay/batch/jsonl.ts';
import { isModelsvcError } from '../../../src/overlay/errors/guards.ts';
import { ChatAccumulator } from '../../../src/overlay/streams/chat-accumulator.ts';
import { answerDeltas, textDeltas } from '../../../src/overlay/streams/helpers.ts';
import { MessageAccumulator } from '../../../src/overlay/streams/messages-accumulator.ts';
import { ResponseAccumulator } from '../../../src/overlay/streams/responses-accumulator.ts';
import { speechBytes } from '../../../src/overlay/streams/speech-bytes.ts';
import { ToolCallAssembler } from '../../../src/overlay/streams/tool-calls.ts';
import { answerOf, finishError } from '../../../src/overlay/surfaces/answer-of.ts';
import { contentText } from '../../../src/overlay/surfaces/chat/answer.ts';
import { chunkAfterHead } from '../../../src/overlay/surfaces/chat/cut-heads.ts';
import { ChatProtocol, ChunkProtocol } from '../../../src/overlay/surfaces/chat/protocol.ts';
import { endsWithCall } from '../../../src/overlay/surfaces/leaked-call.ts';
import { inputText, keepInputTexts, withInputText } from '../../../src/overlay/surfaces/messages/input-text.ts';
import { MessagesProtocol } from '../../../src/overlay/surfaces/messages/protocol.ts';
import { ResponsesProtocol } from '../../../src/overlay/surfaces/responses/protocol.ts';
import { drained, list, streamOf } from './inputs.ts';
import { type Row, text, value } from './row.ts';

const chunk = (delta: object): never => ({ id: 'x', choices: [{ index: 0, delta }] }) as never;
const event = (type: string, data: object): never => ({ type, data: { type, ...data } }) as never;

/** Assemble what the deltas of a size add up to. */
const assembled = (delta: (index: number) => object): Row[2] =>
  value((n) => list(n, (index) => chunk(delta(index)))).through((chunks) => {
    const assembly = new ChatAccumulator();
    for (const one of chunks) assembly.add(one);
    return assembly.assembled(true);
  });
const assembledMessage = (events: (size: number) => never[]): Row[2] =>
  value((n) => [
    event('message_start', { message: {} }),
    event('content_block_start', { index: 0, content_block: { type: 'text' } }),
    ...events(n),
  ]).through((all) => {
    const assembly = new MessageAccumulator();
    for (const one of all) assembly.add(one);
    return assembly.assembled(true);
  });
const pieces = (size: number, text: string): Uint8Array[] => list(size, () => new TextEncoder().encode(text));
const toolCall = (index: number): never => ({ id: `call_${index}`, function: { name: 'f', arguments: '{}' } }) as never;

export const streamRows: readonly Row[] = [
  ['textLines', 'one line in small blocks', value((n) => pieces(n, 'abcdefgh')).through((blocks) => drained(textLines(streamOf(blocks))))],
  ['textLines', 'blank lines', value((n) => pieces(n / 16, '\n'.repeat(64))).through((blocks) => drained(textLines(streamOf(blocks))))],
  [
    'speechBytes',
    'small pieces of base64',
    value((n) => list(n, () => chunk({ content: 'AAA' }))).through((chunks) => drained(speechBytes(streamOf<never>(chunks)))),
  ],
  [
    'speechBytes',
    'one piece of hex',
    value((n) => [chunk({ content: '0f'.repeat(100 * n) })]).through((chunks) => drained(speechBytes(streamOf<never>(chunks), 'hex'))),
  ],
  [
    'ToolCallAssembler',
    'calls without an index',
    value((n) => list(2 * n, (index) => toolCall(index % n))).through((calls) => {
      const assembler = new ToolCallAssembler();
      for (const call of calls) assembler.add(call);
      return assembler.result('o', false);
    }),
  ],
  [
    'ToolCallAssembler',
    'one call in pieces',
    value((n) => list(n, () => ({ index: 0, function: { arguments: '{}' } }) as never)).through((calls) => {
      const assembler = new ToolCallAssembler();
      for (const call of calls) assembler.add(call);
      return assembler.result('o', true);
    }),
  ],
  ['ChatAccumulator', 'pieces of text', assembled(() => ({ content: 'a', reasoning_content: 'b' }))],
  ['ChatAccumulator', 'audio with ever new fields', assembled((index) => ({ audio: { data: 'A', [`field${index}`]: 1 } }))],
  [
    'ChatAccumulator',
    'fields of a vendor',
    assembled((index) => ({ reasoning: 'a', details: [{ type: 'text', text: 'b', index }], notes: [{ a: 1 }] })),
  ],
  ['ChatAccumulator', 'one long field of a vendor', assembled(() => ({ details: [{ type: 'text', text: 'b', index: 0 }] }))],
  ['ChatAccumulator', 'parts that are not text', assembled(() => ({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'a' }] }] }))],
  ['ChatAccumulator', 'tool calls', assembled((index) => ({ tool_calls: [toolCall(index)] }))],
  [
    'MessageAccumulator',
    'citations',
    assembledMessage((n) => list(n, () => event('content_block_delta', { index: 0, delta: { type: 'citations_delta', citation: {} } }))),
  ],
  [
    'MessageAccumulator',
    'ends with ever new fields',
    assembledMessage((n) => list(n, (at) => event('message_delta', { delta: { [`d${at}`]: 1 }, usage: { [`u${at}`]: 1 } }))),
  ],
  [
    'MessageAccumulator',
    'pieces of input',
    assembledMessage((n) => list(n, () => event('content_block_delta', { index: 0, delta: { type: 'input_json_delta', partial_json: '[' } }))),
  ],
  ...(
    [
      ['pieces of text', (): object => ({ type: 'response.output_text.delta', output_index: 0, content_index: 0, delta: 'a' })],
      ['parts', (at: number): object => ({ type: 'response.reasoning_text.delta', output_index: 0, content_index: at, delta: 'a' })],
      ['items', (at: number): object => ({ type: 'response.output_item.added', output_index: at, item: { type: 'message' } })],
      ['pieces of arguments', (): object => ({ type: 'response.function_call_arguments.delta', output_index: 0, delta: '[' })],
    ] as const
  ).map(
    ([name, event]): Row => [
      'ResponseAccumulator',
      name,
      value((n) => list(n, (at) => event(at) as never)).through((events) => {
        const assembly = new ResponseAccumulator();
        assembly.add({ type: 'response.created', response: {} } as never);
        assembly.add({ type: 'response.output_item.added', output_index: 0, item: { type: 'message' } } as never);
        for (const one of events) assembly.add(one);
        return assembly.assembled(true);
      }),
    ],
  ),
  [
    'ResponsesProtocol',
    'items of a response',
    text((n) => `{"type":"response.completed","response":{"output":[${'{"type":"message","content":{}},'.repeat(n)}{}]}}`).through((data) =>
      new ResponsesProtocol().decode(undefined, data),
    ),
  ],
  [
    'MessagesProtocol',
    'ever new fields of usage',
    value((n) => list(n, (index) => `{"type":"message_delta","usage":{"u${index}":1}}`)).through((frames) => {
      const protocol = new MessagesProtocol();
      for (const frame of frames) protocol.decode('message_delta', frame);
      return protocol.usage;
    }),
  ],
  ['ChunkProtocol', 'blanks', text((n) => ' '.repeat(n)).through((data) => new ChunkProtocol().decode(undefined, data))],
  ['ChunkProtocol', 'choices', text((n) => `{"choices":[${'{},'.repeat(n)}{}]}`).through((data) => new ChunkProtocol().decode(undefined, data))],
  [
    'ChatProtocol',
    'text parts',
    text((n) => `{"choices":[{"delta":{"content":[${'{"text":"a"},'.repeat(n)}{"text":"a"}]}}]}`).through((data) =>
      new ChatProtocol().decode(undefined, data),
    ),
  ],
  ['chunkAfterHead', 'heads', text((n) => `${'{"id":"a",'.repeat(n)}{"id":"b","choices":[]}`).through(chunkAfterHead)],
  ['chunkAfterHead', 'whole frames', text((n) => '{"id":"b","choices":[]}'.repeat(n)).through(chunkAfterHead)],
  ['chunkAfterHead', 'open braces', text((n) => `{"id":"a"${'{'.repeat(n)}}`).through(chunkAfterHead)],
  ['chunkAfterHead', 'closing braces', text((n) => `{"id":"a"${'}'.repeat(n)}`).through(chunkAfterHead)],
  ['chunkAfterHead', 'quotes', text((n) => `{"id":"a"${'"'.repeat(n)}}`).through(chunkAfterHead)],
  ['chunkAfterHead', 'escaped quotes', text((n) => `{"id":"a","${'\\"'.repeat(n)}"}`).through(chunkAfterHead)],
  ['chunkAfterHead', 'backslashes', text((n) => `{"id":"a","${'\\'.repeat(n)}"}`).through(chunkAfterHead)],
  [
    'chunkAfterHead',
    'blanks',
    text((n) => `{"id":"a",${' '.repeat(n)}data:${' '.repeat(n)}{"id":"b","choices":[]}${' '.repeat(n)}`).through(chunkAfterHead),
  ],
  [
    'answerOf',
    'calls with commas',
    value((n) => ({ choices: [{ message: { tool_calls: list(n, () => ({ function: { arguments: '{"a":1,}' } })) } }] }) as never).through(
      (reply) => answerOf(reply).history,
    ),
  ],
  [
    'answerOf',
    'blocks',
    value((n) => ({ content: list(n, () => ({ type: 'tool_use', input: '{"a":1,}' })) }) as never).through((reply) => answerOf(reply).history),
  ],
  [
    'answerOf',
    'items',
    value((n) => ({ output: list(n, () => ({ type: 'function_call', arguments: '{"a":1,}' })) }) as never).through(
      (reply) => answerOf(reply).history,
    ),
  ],
  [
    'keepInputTexts',
    'long integers',
    value((n) => ({ content: list(n, () => ({ type: 'tool_use', input: { a: 1 } })) })).through((reply) =>
      keepInputTexts(reply, `{"content":[${'{"type":"tool_use","input":{"a":1234567890123456789}},'.repeat(reply.content.length - 1)}{}]}`),
    ),
  ],
  ['withInputText', 'digits', text((n) => '1'.repeat(n)).through((given) => withInputText({}, given))],
  [
    'inputText',
    'an input that was kept',
    value((n) =>
      withInputText(
        list(n, () => 1),
        '1234567890123456789',
      ),
    ).through(inputText),
  ],
  ['finishError', 'choices', value((n) => ({ choices: list(n, () => ({ finish_reason: 'stop' })) }) as never).through(finishError)],
  ...['<tool_call>', '<tool_call>a ', 'a<arg_key>', '<arg_key>b', '`', '``` ', '`a` ', ' ', 'a', '\n', '\n> ', '</arg_value>', 'a</arg_value> '].map(
    (piece): Row => ['endsWithCall', JSON.stringify(piece), text((n) => piece.repeat(n)).through(endsWithCall)],
  ),
  ['contentText', 'parts', value((n) => list(n, () => ({ text: 'a' }))).through(contentText)],
  ...(['textDeltas', 'answerDeltas'] as const).flatMap((name): Row[] => {
    const read = async (events: object[]): Promise<unknown> =>
      drained(name === 'textDeltas' ? textDeltas(streamOf(events as never[])) : answerDeltas(streamOf(events as never[]))).catch((error: unknown) => {
        // The end of an answer without a text is judged too.
        if (!isModelsvcError(error, 'finish')) throw error;
      });
    const responses = (n: number, of: (at: number) => object[]): object[] => [
      ...Array.from({ length: n }, (_, at) => of(at)).flat(),
      { type: 'response.completed', response: { status: 'completed', output: list(n, () => ({ type: 'message', content: [] })) } },
    ];
    const added = { type: 'response.output_item.added', item: { type: 'message', content: [] } };
    const piece = { type: 'response.output_text.delta', delta: 'a' };
    const blank = { type: 'response.output_item.done', output_index: 0, item: { type: 'message', content: [] } };
    return [
      [name, 'items without a place', value((n) => responses(n, () => [added, piece])).through(read)],
      [name, 'items that are blank at their end', value((n) => responses(n, () => [{ ...piece, output_index: 0 }, blank])).through(read)],
      [name, 'calls in no order', value((n) => responses(n, (at) => [{ ...added, output_index: n - at }])).through(read)],
      [
        name,
        'blocks',
        value((n) =>
          Array.from({ length: n }, (_, index) => ({ type: 'content_block_start', data: { index, content_block: { type: 'text', text: 'a' } } })),
        ).through(read),
      ],
    ];
  }),
  ['textDeltas', 'pieces', value((n) => list(n, () => chunk({ content: 'a' }))).through((chunks) => drained(textDeltas(streamOf<never>(chunks))))],
];
