/** The shape of content: roles, lengths and tool names, never its text. */
import { type Fields, fieldsOf, isFields, listOf, textOf } from '../overlay/json/json-value.ts';
import { word } from './words.ts';

/** Maximum entries of a list that are described. */
const maxEntries = 20;
const textParts: ReadonlySet<unknown> = new Set(['text', 'input_text', 'output_text', 'reasoning_text']);

/** The shape of a request's body, of a result, or of the arguments or the result of a tool. */
export function shapeOf(value: unknown): string {
  if (typeof value === 'string') return `${value.length} characters`;
  if (!isFields(value)) return '';
  const { system, instructions, messages, input, output, tools, choices, content } = value;
  if (Array.isArray(choices)) return described('choices', choices, (choice) => messageShape(fieldsOf(choice['message'])));
  if (Array.isArray(content)) return described('content', [value], messageShape);
  if (Array.isArray(output)) return described('output', output, messageShape);
  const sent = Array.isArray(messages) ? messages : input;
  // The texts of an embedding are in `input` too.
  if (!Array.isArray(sent) || sent.some((one) => typeof one === 'string')) return fieldsShape(value);
  const first = system ?? instructions ?? undefined;
  const said = first === undefined ? sent : [{ role: 'system', content: first }, ...sent];
  return `${described('messages', said, messageShape)} ${described('tools', listOf(tools), toolName)}`.trim();
}

/** Describes the last entries of a list, because the end of a conversation matters most. Empty for an empty list. */
function described(title: string, entries: readonly unknown[], describe: (entry: Fields) => string): string {
  if (entries.length === 0) return '';
  const left = Math.max(entries.length - maxEntries, 0);
  const shapes = entries.slice(left).map((entry) => describe(fieldsOf(entry)));
  return `${title} [${left === 0 ? '' : `${left} more, `}${shapes.join(', ')}]`;
}

/**
 * `assistant 12 + image_url + call weather`: the role, the characters of text, and everything else by its kind. An item of the Responses
 * surface without a role has its type.
 */
function messageShape({ type, role, content, tool_calls: calls, name, arguments: given, output: result }: Fields): string {
  if (type === 'function_call') return `call ${word(name)} ${textOf(given).length}`;
  if (type === 'function_call_output') return `result ${textOf(result).length}`;
  const parts = listOf(content).map(fieldsOf);
  const texts = typeof content === 'string' ? [content] : parts.map(({ text }) => text);
  const characters = texts.reduce<number>((sum, text) => sum + (typeof text === 'string' ? text.length : 0), 0);
  const others = parts.filter(({ type }) => !textParts.has(type)).map(({ type, name }) => (type === 'tool_use' ? `call ${word(name)}` : word(type)));
  const called = listOf(calls).map((call) => `call ${word(fieldsOf(fieldsOf(call)['function'])['name'])}`);
  return [`${word(role ?? type)} ${characters}`, ...[...others, ...called].slice(0, maxEntries)].join(' + ');
}

function toolName(tool: Fields): string {
  return word(fieldsOf(tool['function'])['name'] ?? tool['name'] ?? tool['type']);
}

/** The lengths of texts and lists, for other requests and results. */
function fieldsShape(fields: Fields): string {
  const measured = Object.entries(fields).filter(([name, value]) => name !== 'model' && (typeof value === 'string' || Array.isArray(value)));
  const shapes = measured.map(([name, value]) => ({ shape: `${word(name)} ${Array.isArray(value) ? 'of ' : ''}${(value as string).length}` }));
  return described('fields', shapes, ({ shape }) => shape as string);
}
