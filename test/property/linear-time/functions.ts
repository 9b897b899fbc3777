import { mcpTools } from '../../../src/mcp/index.ts';
import { resultText } from '../../../src/mcp/result-text.ts';
import { ChatAssembly } from '../../../src/overlay/accumulate/chat-assembly.ts';
import { MessageAssembly } from '../../../src/overlay/accumulate/message-assembly.ts';
import { ToolCallAssembler } from '../../../src/overlay/accumulate/tool-calls.ts';
import { mendArguments } from '../../../src/overlay/argument-mending.ts';
import { parseArguments, parseJson, withoutFence } from '../../../src/overlay/argument-repair.ts';
import { readResults } from '../../../src/overlay/batch-output.ts';
import { apiError, envelopeOf, failureIn, redact } from '../../../src/overlay/failure.ts';
import { finishError } from '../../../src/overlay/finish.ts';
import { textLines } from '../../../src/overlay/jsonl.ts';
import { quotaWindow } from '../../../src/overlay/monitor/quota-windows.ts';
import { parseServerTime } from '../../../src/overlay/monitor/server-time.ts';
import { tokensOf } from '../../../src/overlay/monitor/tokens.ts';
import { usageBuckets } from '../../../src/overlay/monitor/usage-buckets.ts';
import { UsageMeter } from '../../../src/overlay/monitor/usage-meter.ts';
import { ChunkProtocol, EventProtocol } from '../../../src/overlay/protocols.ts';
import { retryAfterOf } from '../../../src/overlay/retry.ts';
import { expectedText, plainIssues } from '../../../src/overlay/schema-check.ts';
import { snapshot } from '../../../src/overlay/snapshot.ts';
import { speechBytes } from '../../../src/overlay/speech-bytes.ts';
import { pathText } from '../../../src/overlay/standard-schema.ts';
import { contentText, textDeltas } from '../../../src/overlay/stream-helpers.ts';
import { responseFormat } from '../../../src/overlay/structured-output.ts';
import { addUsage } from '../../../src/overlay/tool-loop/usage.ts';
import { defineTool, describesObject } from '../../../src/overlay/typed-tool.ts';
import type { Work } from './growth.ts';
import { drained, fields, list, nested, streamOf } from './inputs.ts';

/** A function, an input that could be too much for it, and how to build the work for a size. */
export type Row = readonly [name: string, input: string, workOf: (size: number) => Work];

const fence = '```';
const text = (input: (size: number) => string, work: (given: string) => unknown): Row[2] => {
  return (size) => {
    const given = input(size);
    return () => quietly(() => work(given));
  };
};
const value = <T>(input: (size: number) => T, work: (given: T) => unknown): Row[2] => {
  return (size) => {
    const given = input(size);
    return () => work(given);
  };
};

/** A typed refusal is an answer too. */
function quietly(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    if (error instanceof RangeError) throw error;
    return error;
  }
}

const failure = { operation: 'o', surface: 'chat', status: 500, requestId: undefined, secrets: ['k'.repeat(40)] } as const;
const chunk = (delta: object): never => ({ id: 'x', choices: [{ index: 0, delta }] }) as never;
const event = (type: string, data: object): never => ({ type, data: { type, ...data } }) as never;

/** Assemble what the deltas of a size add up to. */
const assembled = (delta: (index: number) => object): Row[2] =>
  value(
    (n) => list(n, (index) => chunk(delta(index))),
    (chunks) => {
      const assembly = new ChatAssembly(false);
      for (const one of chunks) assembly.add(one);
      return assembly.response;
    },
  );
const assembledMessage = (events: (size: number) => never[]): Row[2] =>
  value(
    (n) => [event('message_start', { message: {} }), event('content_block_start', { index: 0, content_block: { type: 'text' } }), ...events(n)],
    (all) => {
      const assembly = new MessageAssembly(true);
      for (const one of all) assembly.add(one);
      return assembly.message;
    },
  );
const pieces = (size: number, text: string): Uint8Array[] => list(size, () => new TextEncoder().encode(text));
const toolCall = (index: number): never => ({ id: `call_${index}`, function: { name: 'f', arguments: '{}' } }) as never;
const clientOf = (tools: readonly object[]): never => ({ listTools: async () => ({ tools }) }) as never;
const union = { anyOf: [{ properties: { a: { $ref: '#' } } }, { properties: { a: { $ref: '#' } } }] };

export const rows: readonly Row[] = [
  ['withoutFence', 'line breaks', text((n) => `${fence}${'\n'.repeat(n)}x`, withoutFence)],
  ['withoutFence', 'line breaks, then a fence that is none', text((n) => `${fence}a${' \n'.repeat(n)}x${fence}x`, withoutFence)],
  ['withoutFence', 'a whole fence', text((n) => `${fence}json${'\n x'.repeat(n)}${'\n'.repeat(n)}${fence}`, withoutFence)],
  ['parseArguments', 'line breaks in a fence', text((n) => `${fence}${'\n'.repeat(n)}x`, parseArguments)],
  ['parseArguments', 'keys with values that do not end', text((n) => '<arg_key>a</arg_key><arg_value>'.repeat(n), parseArguments)],
  ['parseArguments', 'keys that do not end', text((n) => '<arg_key>'.repeat(n), parseArguments)],
  ['parseArguments', 'keys and blanks', text((n) => `<arg_key>a</arg_key>${' '.repeat(n)}`.repeat(4), parseArguments)],
  ['parseArguments', 'pairs', text((n) => '<arg_key>a</arg_key> <arg_value>b</arg_value>'.repeat(n), parseArguments)],
  ['parseJson', 'levels', text((n) => '['.repeat(n), parseJson)],
  [
    'mendArguments',
    'digits that are no number',
    value(
      (n) => ({ x: `${'1'.repeat(n)}x`, y: ' '.repeat(n) }),
      (given) => mendArguments(given, { additionalProperties: { type: 'number' } }),
    ),
  ],
  [
    'mendArguments',
    'many values under one large enum',
    value(
      (n) => [list(n, () => '1'), { items: { enum: list(n, (index) => index) } }] as const,
      ([given, schema]) => mendArguments(given, schema),
    ),
  ],
  [
    'mendArguments',
    'many properties under many branches',
    value(
      (n) => [fields(n, () => '1'), { anyOf: list(n, () => ({ additionalProperties: { type: 'number' } })) }] as const,
      ([given, schema]) => mendArguments(given, schema),
    ),
  ],
  [
    'plainIssues',
    'many values under one large enum',
    value(
      (n) => [list(n, () => 'z'), { items: { enum: [...list(n, (index) => `v${index}`), 'z'] } }] as const,
      ([given, schema]) => plainIssues(given, schema),
    ),
  ],
  [
    'plainIssues',
    'one name that is required again and again',
    value(
      (n) => [list(n, () => ({ a: 1 })), { items: { type: list(n, () => 'object'), required: list(n, () => 'a') } }] as const,
      ([given, schema]) => plainIssues(given, schema),
    ),
  ],
  [
    'plainIssues',
    'levels of choices',
    value(
      (n) => nested(n, (inner) => [inner], 1),
      (deep) => plainIssues(1, { enum: [deep], const: deep }),
    ),
  ],
  ['expectedText', 'properties with choices', value((n) => ({ properties: fields(n, () => ({ enum: list(20, () => 'word') })) }), expectedText)],
  ['expectedText', 'levels of unions', value((n) => ({ properties: { a: nested(n, (inner) => ({ anyOf: [inner, inner] }), {}) } }), expectedText)],
  ['expectedText', 'levels of choices', value((n) => ({ properties: { a: { enum: [nested(n, (inner) => [inner], 1)] } } }), expectedText)],
  [
    'describesObject',
    'levels of unions',
    value((n) => nested(n, (inner) => ({ anyOf: [inner, inner] }), { type: 'string' }) as never, describesObject),
  ],
  [
    'defineTool',
    'arguments that do not fit',
    value(
      (n) =>
        defineTool({
          name: 'f',
          description: '',
          input: { type: 'object', required: list(n, (index) => `r${index}`), properties: fields(n, () => ({})) },
          run: () => '',
        }),
      (tool) => tool.prepare('{}'),
    ),
  ],
  [
    'responseFormat',
    'an answer of line breaks in a fence',
    text(
      (n) => `${fence}${'\n'.repeat(n)}x`,
      (given) =>
        responseFormat({})
          .parse(given)
          .catch(() => undefined),
    ),
  ],
  [
    'responseFormat',
    'a schema of many levels',
    value(
      (n) => nested(n, (not) => ({ not }), {}) as never,
      (schema) => quietly(() => responseFormat(schema)),
    ),
  ],
  ['pathText', 'steps', value((n) => list(n, (index) => (index % 2 ? index : 'step')), pathText)],
  [
    'textLines',
    'one line in small blocks',
    value(
      (n) => pieces(n, 'abcdefgh'),
      (blocks) => drained(textLines(streamOf(blocks))),
    ),
  ],
  [
    'textLines',
    'blank lines',
    value(
      (n) => pieces(n / 16, '\n'.repeat(64)),
      (blocks) => drained(textLines(streamOf(blocks))),
    ),
  ],
  [
    'speechBytes',
    'small pieces of base64',
    value(
      (n) => list(n, () => chunk({ content: 'AAA' })),
      (chunks) => drained(speechBytes(streamOf<never>(chunks))),
    ),
  ],
  [
    'speechBytes',
    'one piece of hex',
    value(
      (n) => [chunk({ content: '0f'.repeat(20 * n) })],
      (chunks) => drained(speechBytes(streamOf<never>(chunks), 'hex')),
    ),
  ],
  [
    'ToolCallAssembler',
    'calls without an index',
    value(
      (n) => list(2 * n, (index) => toolCall(index % n)),
      (calls) => {
        const assembler = new ToolCallAssembler();
        for (const call of calls) assembler.add(call);
        return assembler.result('o', false);
      },
    ),
  ],
  [
    'ToolCallAssembler',
    'one call in pieces',
    value(
      (n) => list(n, () => ({ index: 0, function: { arguments: '{}' } }) as never),
      (calls) => {
        const assembler = new ToolCallAssembler();
        for (const call of calls) assembler.add(call);
        return assembler.result('o', true);
      },
    ),
  ],
  ['ChatAssembly', 'pieces of text', assembled(() => ({ content: 'a', reasoning_content: 'b' }))],
  ['ChatAssembly', 'audio with ever new fields', assembled((index) => ({ audio: { data: 'A', [`field${index}`]: 1 } }))],
  ['ChatAssembly', 'tool calls', assembled((index) => ({ tool_calls: [toolCall(index)] }))],
  [
    'MessageAssembly',
    'citations',
    assembledMessage((n) => list(n, () => event('content_block_delta', { index: 0, delta: { type: 'citations_delta', citation: {} } }))),
  ],
  [
    'MessageAssembly',
    'ends with ever new fields',
    assembledMessage((n) => list(n, (at) => event('message_delta', { delta: { [`d${at}`]: 1 }, usage: { [`u${at}`]: 1 } }))),
  ],
  [
    'MessageAssembly',
    'pieces of input',
    assembledMessage((n) => list(n, () => event('content_block_delta', { index: 0, delta: { type: 'input_json_delta', partial_json: '[' } }))),
  ],
  [
    'EventProtocol',
    'ever new fields of usage',
    value(
      (n) => list(n, (index) => `{"type":"message_delta","usage":{"u${index}":1}}`),
      (frames) => {
        const protocol = new EventProtocol();
        for (const frame of frames) protocol.decode('message_delta', frame);
        return protocol.usage;
      },
    ),
  ],
  [
    'ChunkProtocol',
    'blanks',
    text(
      (n) => ' '.repeat(n),
      (data) => new ChunkProtocol().decode(undefined, data),
    ),
  ],
  [
    'ChunkProtocol',
    'choices',
    text(
      (n) => `{"choices":[${'{},'.repeat(n)}{}]}`,
      (data) => new ChunkProtocol().decode(undefined, data),
    ),
  ],
  ['failureIn', 'brackets', value((n) => ({ error: { message: `[123][${'][a'.repeat(n)}`, type: 'x' } }), failureIn)],
  ['failureIn', 'words in brackets', value((n) => ({ error: { message: `[123][a][${'b-'.repeat(n)}`, type: 'x' } }), failureIn)],
  [
    'envelopeOf',
    'blanks',
    text(
      (n) => `${' '.repeat(n)}<x`,
      (given) => envelopeOf(given, 'text/plain'),
    ),
  ],
  [
    'redact',
    'the word before a key',
    text(
      (n) => 'bearer '.repeat(n),
      (given) => redact(given, ['k'.repeat(20)]),
    ),
  ],
  [
    'redact',
    'blanks behind that word',
    text(
      (n) => `bearer${' '.repeat(n)}`,
      (given) => redact(given, ['k'.repeat(20)]),
    ),
  ],
  [
    'redact',
    'beginnings of a key',
    text(
      (n) => 'k'.repeat(19).concat('x').repeat(n),
      (given) => redact(given, ['k'.repeat(20)]),
    ),
  ],
  [
    'apiError',
    'a long message',
    text(
      (n) => 'word '.repeat(n),
      (message) => apiError({ code: message, message, requestId: undefined }, failure),
    ),
  ],
  [
    'retryAfterOf',
    'digits',
    text(
      (n) => `${'1'.repeat(n)}x`,
      (given) => retryAfterOf(() => given, 0),
    ),
  ],
  [
    'retryAfterOf',
    'words',
    text(
      (n) => 'jan 1 '.repeat(n),
      (given) => retryAfterOf((name) => (name === 'retry-after' ? given : undefined), 0),
    ),
  ],
  [
    'readResults',
    'lines',
    value(
      (n) => list(n, (index) => new TextEncoder().encode(`{"custom_id":"c${index}","response":{"body":{"choices":[]}}}\n`)),
      (blocks) => readResults(streamOf(blocks), new Map(), failure),
    ),
  ],
  ['parseServerTime', 'digits', text((n) => '2025-01-01 '.repeat(n), parseServerTime)],
  [
    'quotaWindow',
    'a long kind of limit',
    text(
      (n) => '_A'.repeat(n),
      (type) => quotaWindow({ type } as never),
    ),
  ],
  ['tokensOf', 'fields', value((n) => fields(n, () => 1), tokensOf)],
  [
    'usageBuckets',
    'labels',
    value(
      (n) => ({ x_time: list(n, () => '2025-01-01 10:00') }) as never,
      (data) => usageBuckets(data, []),
    ),
  ],
  [
    'UsageMeter',
    'models',
    value(
      (n) => list(n, (index) => ({ model: `m${index}`, service: 's', endpoint: '/x', complete: true, usage: { total_tokens: 1 } }) as never),
      (metas) => {
        const meter = new UsageMeter();
        for (const meta of metas) meter.onResponse(meta);
        return meter.totals();
      },
    ),
  ],
  ['finishError', 'choices', value((n) => ({ choices: list(n, () => ({ finish_reason: 'stop' })) }) as never, finishError)],
  ['contentText', 'parts', value((n) => list(n, () => ({ text: 'a' })), contentText)],
  [
    'textDeltas',
    'pieces',
    value(
      (n) => list(n, () => chunk({ content: 'a' })),
      (chunks) => drained(textDeltas(streamOf<never>(chunks))),
    ),
  ],
  [
    'addUsage',
    'fields',
    value(
      (n) => fields(n, () => ({ inner: 1 })),
      (usage) => addUsage(usage, usage),
    ),
  ],
  [
    'addUsage',
    'levels',
    value(
      (n) => nested(n, (inner) => ({ inner }), 1),
      (usage) => addUsage(usage, usage),
    ),
  ],
  ['snapshot', 'levels and lists', value((n) => [nested(n, (inner) => [inner], 1), list(n, () => ({}))], snapshot)],
  [
    'mcpTools',
    'tools of one name',
    value(
      (n) => clientOf(list(n, () => ({ name: 'x'.repeat(70), inputSchema: { type: 'object' } }))),
      (client) => mcpTools(client),
    ),
  ],
  [
    'mcpTools',
    'names that begin alike',
    value(
      (n) => clientOf(list(n, (at) => ({ name: `${'x'.repeat(58)}${at >> 1}`, inputSchema: {} }))),
      (client) => mcpTools(client),
    ),
  ],
  [
    'resultText',
    'parts',
    value(
      (n) => list(n, () => ({ type: 'text', text: 'a' })),
      (parts) => resultText(parts, undefined),
    ),
  ],
];

/** Work by the levels of a value: four more may cost ten times as much at most, where trying branch after branch costs sixteen times. */
export const byLevels: readonly Row[] = [
  [
    'mendArguments',
    'levels of unions',
    value(
      (levels) => nested(levels, (a) => ({ a }), 'x'),
      (given) => mendArguments(given, union),
    ),
  ],
];
