// Blank texts, which the service refuses.
import { fieldsOf, listOf, textOf } from '../json/json-value.ts';
import { Problem } from '../json/problem.ts';

/** Goes back instead of an answer without any content. */
export const noText = '(no text)';
/** The same for the result of a tool. */
export const noOutput = '(no output)';

const textParts: ReadonlySet<unknown> = new Set(['text', 'input_text', 'output_text']);

/** True for a part with a blank text. */
export function isBlankPart({ type, text }: { readonly type?: unknown; readonly text?: unknown }): boolean {
  return textParts.has(type) && textOf(text).trim() === '';
}

/** Refuse a blank text of a user that is alone in its message. It is for the hosts of the service: a schema has no rule for some hosts about words. */
export function checkUserTexts(body: object): void {
  const { messages, input } = fieldsOf(body);
  const field = messages === undefined ? 'input' : 'messages';
  const list = typeof input === 'string' ? [{ role: 'user', content: input }] : listOf(messages ?? input);
  for (const [index, message] of list.entries()) {
    const { role, content } = fieldsOf(message);
    if (role !== 'user' || !isBlank(content)) continue;
    const place = Array.isArray(content) ? `${field}[${index}].content[0].text` : `${field}[${index}].content`;
    throw new Problem(list === messages || list === input ? place : field, 'must not be blank: the service refuses it');
  }
}

function isBlank(content: unknown): boolean {
  if (typeof content === 'string') return content.trim() === '';
  return (
    Array.isArray(content) && content.length > 0 && content.map(fieldsOf).every((part) => part['text'] === textOf(part['text']) && isBlankPart(part))
  );
}
