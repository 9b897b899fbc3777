import { mcpTools } from '../../../src/mcp/index.ts';
import { resultText } from '../../../src/mcp/result-text.ts';
import { parseArguments, withoutFence } from '../../../src/overlay/json/argument-repair.ts';
import { losesDigits, parseJson, stringEnd } from '../../../src/overlay/json/exact.ts';
import { behindThought, onlyJsonIn, parseLenient } from '../../../src/overlay/json/json-in-text.ts';
import { SchemaDocument } from '../../../src/overlay/json/schema-document.ts';
import { mendArguments } from '../../../src/overlay/tools/argument-mending.ts';
import { GrowingJson } from '../../../src/overlay/tools/growing-json.ts';
import { expectedText, plainIssues } from '../../../src/overlay/tools/schema-check.ts';
import { pathText } from '../../../src/overlay/tools/standard-schema.ts';
import { outputFormat } from '../../../src/overlay/tools/structured-output.ts';
import { defineTool, describesObject } from '../../../src/overlay/tools/typed-tool.ts';
import { sampleOf } from '../../../src/testing/replies/schema-sample.ts';
import { fields, list, nested } from './inputs.ts';
import { quietly, type Row, text, value } from './row.ts';

const fence = '```';
const clientOf = (tools: readonly object[]): never => ({ listTools: async () => ({ tools }) }) as never;
const union = { anyOf: [{ properties: { a: { $ref: '#' } } }, { properties: { a: { $ref: '#' } } }] };

/** A text that comes as a whole, and one that comes in single characters, with a look at the value after each. */
const growing = (name: string, input: (size: number) => string): Row[] => [
  ['GrowingJson', name, text(input).through((given) => grow([given]))],
  ['GrowingJson', `${name}, in single characters`, text(input).through(grow)],
];

function grow(pieces: Iterable<string>): void {
  const json = new GrowingJson();
  for (const piece of pieces) if (json.add(piece)) Object.isFrozen(json.value);
}

const documents: Readonly<Record<'chain' | 'levels' | 'branches' | 'circles' | 'identifiers', (size: number) => Record<string, unknown>>> = {
  chain: (n) => ({ $ref: '#/$defs/p0', $defs: fields(n, (index) => ({ $ref: `#/$defs/p${index + 1}` })) }),
  levels: (n) => nested(n, (inner) => ({ anyOf: [inner, { allOf: [inner] }] }), { type: 'string' }) as Record<string, unknown>,
  branches: (n) => ({
    anyOf: list(n, () => ({ oneOf: [{ $ref: '#' }, { $ref: '#a' }] })),
    $defs: { a: { $anchor: 'a', enum: list(n, (index) => index) } },
  }),
  circles: (n) => ({
    $ref: '#/$defs/p0',
    $defs: fields(n, (index) => ({ allOf: [{ $ref: `#/$defs/p${(index + 1) % n}` }, { $ref: '#/$defs/p0' }] })),
  }),
  identifiers: (n) => nested(n, (inner) => ({ $id: 'some/longer/path/', $ref: '#a', not: inner }), { $anchor: 'a' }) as Record<string, unknown>,
};

/** All questions to one document, about every schema that applies to its root. */
function everyAnswer(root: Record<string, unknown>): void {
  const document = new SchemaDocument(root);
  for (const schema of document.applied(root)) document.types(schema);
  document.target(root);
}

export const argumentRows: readonly Row[] = [
  ['withoutFence', 'line breaks', text((n) => `${fence}${'\n'.repeat(n)}x`).through(withoutFence)],
  ['withoutFence', 'line breaks, then a fence that is not one', text((n) => `${fence}a${' \n'.repeat(n)}x${fence}x`).through(withoutFence)],
  ['withoutFence', 'a whole fence', text((n) => `${fence}json${'\n x'.repeat(n)}${'\n'.repeat(n)}${fence}`).through(withoutFence)],
  ['parseArguments', 'line breaks in a fence', text((n) => `${fence}${'\n'.repeat(n)}x`).through(parseArguments)],
  ['parseArguments', 'keys with values that do not end', text((n) => '<arg_key>a</arg_key><arg_value>'.repeat(n)).through(parseArguments)],
  ['parseArguments', 'keys that do not end', text((n) => '<arg_key>'.repeat(n)).through(parseArguments)],
  ['parseArguments', 'keys and blanks', text((n) => `<arg_key>a</arg_key>${' '.repeat(n)}`.repeat(4)).through(parseArguments)],
  ['parseArguments', 'pairs', text((n) => '<arg_key>a</arg_key> <arg_value>b</arg_value>'.repeat(n)).through(parseArguments)],
  ['parseJson', 'levels', text((n) => '['.repeat(n)).through(parseJson)],
  ['parseJson', 'long integers', text((n) => `[${'12345678901234567890,'.repeat(n)}1]`).through(parseJson)],
  ['losesDigits', 'digits and quotes', text((n) => '1"2"'.repeat(n) + '1'.repeat(n)).through(losesDigits)],
  ['stringEnd', 'escapes', text((n) => '\\\\"'.repeat(n)).through((value) => stringEnd(value, 0))],
  ['parseLenient', 'line ends in strings', text((n) => `["${'\n'.repeat(n)}"]`).through(parseLenient)],
  ['parseLenient', 'trailing commas', text((n) => `[${'[1, ],'.repeat(n)}]`).through(parseLenient)],
  ['parseLenient', 'commas and blanks', text((n) => `[${','.repeat(n)}${' '.repeat(n)}]`).through(parseLenient)],
  ['parseLenient', 'escapes in a string that does not end', text((n) => `["${'\\\\"'.repeat(n)}`).through(parseLenient)],
  ['onlyJsonIn', 'levels', text((n) => `x ${'['.repeat(n)}`).through(onlyJsonIn)],
  ['onlyJsonIn', 'remarks', text((n) => '[a] {b} '.repeat(n)).through(onlyJsonIn)],
  ['onlyJsonIn', 'quotes', text((n) => `{${'"'.repeat(n)}`).through(onlyJsonIn)],
  ['onlyJsonIn', 'one long value', text((n) => `Here: ${JSON.stringify(list(n, () => 'a"\\'))}`).through(onlyJsonIn)],
  ...growing('one text', (n) => `["${'a '.repeat(n)}`),
  ...growing('fields', (n) => JSON.stringify(fields(n, (index) => index))),
  ...growing('one key', (n) => `{"${'a'.repeat(n)}":1`),
  ...growing('levels', (n) => '[{"a":'.repeat(n)),
  ...growing('levels of prose', (n) => `${'['.repeat(n)}x `.repeat(2)),
  ...growing('remarks', (n) => '[a {b} '.repeat(n)),
  ...growing('escapes', (n) => `["${String.raw`\\\n\ud83c`.repeat(n)}`),
  ...growing('an escape that is not one', (n) => `["\\u${'"'.repeat(n)}`),
  ...growing('digits', (n) => `[${'1'.repeat(n)}]`),
  ...growing('blanks', (n) => `${' '.repeat(n)}[${'\n'.repeat(n)}`),
  ...growing('a thought', (n) => `<think>${'</think'.repeat(n)}`),
  ['behindThought', 'thoughts', text((n) => '<think></think>'.repeat(n)).through((one) => behindThought(one, onlyJsonIn))],
  ['behindThought', 'ends of thoughts', text((n) => '[x</think>'.repeat(n)).through((one) => behindThought(one, onlyJsonIn))],
  [
    'mendArguments',
    'digits that are no number',
    value((n) => ({ x: `${'1'.repeat(n)}x`, y: ' '.repeat(n) })).through((given) =>
      mendArguments(given, { additionalProperties: { type: 'number' } }),
    ),
  ],
  [
    'mendArguments',
    'many values under one large enum',
    value((n) => [list(n, () => '1'), { items: { enum: list(n, (index) => index) } }] as const).through(([given, schema]) =>
      mendArguments(given, schema),
    ),
  ],
  [
    'mendArguments',
    'many properties under many branches',
    value((n) => [fields(n, () => '1'), { anyOf: list(n, () => ({ additionalProperties: { type: 'number' } })) }] as const).through(
      ([given, schema]) => mendArguments(given, schema),
    ),
  ],
  [
    'plainIssues',
    'many values under one large enum',
    value((n) => [list(n, () => 'z'), { items: { enum: [...list(n, (index) => `v${index}`), 'z'] } }] as const).through(([given, schema]) =>
      plainIssues(given, schema),
    ),
  ],
  [
    'plainIssues',
    'one name that is required again and again',
    value((n) => [list(n, () => ({ a: 1 })), { items: { type: list(n, () => 'object'), required: list(n, () => 'a') } }] as const).through(
      ([given, schema]) => plainIssues(given, schema),
    ),
  ],
  [
    'plainIssues',
    'levels of choices',
    value((n) => nested(n, (inner) => [inner], 1)).through((deep) => plainIssues(1, { enum: [deep], const: deep })),
  ],
  [
    'expectedText',
    'properties with choices',
    value((n) => ({ properties: fields(n, () => ({ enum: list(20, () => 'word') })) })).through(expectedText),
  ],
  [
    'expectedText',
    'levels of unions',
    value((n) => ({ properties: { a: nested(n, (inner) => ({ anyOf: [inner, inner] }), {}) } })).through(expectedText),
  ],
  ['expectedText', 'levels of choices', value((n) => ({ properties: { a: { enum: [nested(n, (inner) => [inner], 1)] } } })).through(expectedText)],
  ...(['chain', 'levels', 'branches', 'circles', 'identifiers'] as const).map(
    (form): Row => ['SchemaDocument', form, value(documents[form]).through(everyAnswer)],
  ),
  [
    'sampleOf',
    'branches',
    value((n) => ({ allOf: list(n, (index) => ({ properties: { [`p${index}`]: {} } })) })).through((given) => sampleOf(given)),
  ],
  [
    'sampleOf',
    'one large schema for many properties',
    value((n) => ({ properties: fields(n, () => ({ $ref: '#/$defs/L' })), $defs: { L: { allOf: list(n, () => ({ title: 't' })) } } })).through(
      (given) => sampleOf(given),
    ),
  ],
  [
    'describesObject',
    'levels of unions',
    value((n) => nested(n, (inner) => ({ anyOf: [inner, inner] }), { type: 'string' }) as never).through(describesObject),
  ],
  [
    'defineTool',
    'arguments that do not fit',
    value((n) =>
      defineTool({
        name: 'f',
        description: '',
        input: { type: 'object', required: list(n, (index) => `r${index}`), properties: fields(n, () => ({})) },
        run: () => '',
      }),
    ).through((tool) => tool.prepare('{}')),
  ],
  [
    'outputFormat',
    'an answer of line breaks in a fence',
    text((n) => `${fence}${'\n'.repeat(n)}x`).through((given) =>
      outputFormat({})
        .parse(given)
        .catch(() => undefined),
    ),
  ],
  [
    'outputFormat',
    'a schema of many levels',
    value((n) => nested(n, (not) => ({ not }), {}) as never).through((schema) => quietly(() => outputFormat(schema))),
  ],
  ['pathText', 'steps', value((n) => list(n, (index) => (index % 2 ? index : 'step'))).through(pathText)],
  [
    'mcpTools',
    'tools of one name',
    value((n) => clientOf(list(2 * n, () => ({ name: 'x'.repeat(70), inputSchema: { type: 'object' } })))).through((client) =>
      mcpTools(client, { sdk: 1 }),
    ),
  ],
  [
    'mcpTools',
    'names that begin alike',
    value((n) => clientOf(list(n, (at) => ({ name: `${'x'.repeat(58)}${at >> 1}`, inputSchema: {} })))).through((client) =>
      mcpTools(client, { sdk: 1 }),
    ),
  ],
  ['resultText', 'parts', value((n) => list(n, () => ({ type: 'text', text: 'a' }))).through((parts) => resultText(parts, undefined))],
  [
    'resultText',
    'structured content',
    value((n) => list(n, () => ({ type: 'text', text: '[1]' }))).through((parts) =>
      resultText([...(parts as unknown[]), { type: 'text', text: JSON.stringify(parts) }], parts),
    ),
  ],
];

/** Work by the levels of a value: four more may cost ten times as much at most, where trying branch after branch costs sixteen times. */
export const byLevels: readonly Row[] = [
  ['mendArguments', 'levels of unions', value((levels) => nested(levels, (a) => ({ a }), 'x')).through((given) => mendArguments(given, union))],
];
