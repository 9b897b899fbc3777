/** The shape of content: roles, lengths and tool names, never its text. */
import { type Fields, fieldsOf, isFields, listOf } from '../overlay/errors/json-value.ts';
import { word } from './words.ts';

/** Most entries of a list that are described. */
const maxEntries = 20;

/** The shape of a request's body, of a result, or of the arguments or the result of a tool. */
export function shapeOf(value: unknown): string {
  if (typeof value === 'string') return `${value.length} characters`;
  if (!isFields(value)) return '';
  const { system, messages, tools, choices } = value;
  if (Array.isArray(choices))
    return described(
      'choices',
      choices.map((choice) => messageShape(fieldsOf(fieldsOf(choice)['message']))),
    );
  if (Array.isArray(value['content'])) return described('content', [messageShape(value)]);
  if (!Array.isArray(messages)) return fieldsShape(value);
  const said = [...(system === undefined ? [] : [{ role: 'system', content: system }]), ...messages];
  const names = listOf(tools).map((tool) => toolName(fieldsOf(tool)));
  return [
    described(
      'messages',
      said.map((message) => messageShape(fieldsOf(message))),
    ),
    described('tools', names),
  ]
    .filter(Boolean)
    .join('; ');
}

/** The end of a conversation is the part that matters. */
function described(title: string, entries: readonly string[]): string {
  if (entries.length === 0) return '';
  const left = Math.max(entries.length - maxEntries, 0);
  return `${title} ${left === 0 ? '' : `(${left} more) `}${entries.slice(left).join(', ')}`;
}

/** `assistant 12 + image_url + call weather`: the role, the characters of text, and everything else by its kind. */
function messageShape(message: Fields): string {
  const { content } = message;
  const parts = Array.isArray(content) ? content.map(fieldsOf) : [];
  const texts = typeof content === 'string' ? [content] : parts.map(({ text }) => text);
  const characters = texts.reduce<number>((sum, text) => sum + (typeof text === 'string' ? text.length : 0), 0);
  const others = parts
    .filter(({ type }) => type !== 'text')
    .map((part) => (part['type'] === 'tool_use' ? `call ${word(part['name'])}` : word(part['type'])));
  const images = listOf(message['images']).map(() => 'image');
  const calls = listOf(message['tool_calls']).map((call) => `call ${word(fieldsOf(fieldsOf(call)['function'])['name'])}`);
  return [`${word(message['role'])} ${characters}`, ...[...others, ...images, ...calls].slice(0, maxEntries)].join(' + ');
}

function toolName(tool: Fields): string {
  return word(fieldsOf(tool['function'])['name'] ?? tool['name'] ?? tool['type']);
}

/** Of other requests and results: the lengths of their texts and lists. */
function fieldsShape(fields: Fields): string {
  const shapes = Object.entries(fields).flatMap(([name, value]) => {
    if (name === 'model') return [];
    if (typeof value === 'string') return [`${word(name)} ${value.length}`];
    return Array.isArray(value) ? [`${word(name)} [${value.length}]`] : [];
  });
  return shapes.length === 0 ? '' : `fields ${shapes.slice(0, maxEntries).join(', ')}`;
}
