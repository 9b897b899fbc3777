// The input of a tool call arrives as a value, which cannot hold integers of more than 15 digits exactly. Its text is kept for those.

import { losesDigits, stringEnd } from '../../json/exact.ts';
import { fieldsOf, isFields, isObject, jsonOrUndefined, listOf } from '../../json/json-value.ts';

/** Few replies have such integers, so the garbage collector has few entries to scan. */
const texts = new WeakMap<object, { readonly text: string; readonly value: string }>();

/** The input, with its text kept if the value has lost digits. */
export function withInputText(input: unknown, text: string): unknown {
  if (isObject(input) && losesDigits(text)) texts.set(input, { text, value: JSON.stringify(input) });
  return input;
}

/** The text of an input that was kept, unless the caller has changed the input since. */
export function inputText(input: unknown): string | undefined {
  const kept = isObject(input) ? texts.get(input) : undefined;
  return kept && JSON.stringify(input) === kept.value ? kept.text : undefined;
}

/** Keeps the texts of the inputs of a complete reply. `body` is its text. */
export function keepInputTexts(reply: object, body: string): void {
  const blocks = body.includes('"tool_use"') && losesDigits(body) ? spanOf(body, 'content') : undefined;
  if (blocks === undefined) return;
  for (const [index, block] of listOf(fieldsOf(reply)['content']).entries()) {
    if (!isFields(block) || block['type'] !== 'tool_use') continue;
    const text = spanOf(spanOf(blocks, index) ?? '', 'input');
    if (text !== undefined) withInputText(block['input'], text);
  }
}

/** The text of a member of an object, the last one of a name as in `JSON.parse`, or of an item of a list. The text is valid JSON. */
function spanOf(text: string, member: string | number): string | undefined {
  let depth = 0;
  let found: string | undefined;
  let [name, start, index]: [string | undefined, number, number] = [undefined, -1, 0];
  const end = (at: number): void => {
    if (start >= 0 && (typeof member === 'number' ? index++ === member : name === member)) found = text.slice(start, at).trim();
    start = -1;
  };
  const pattern = /["{}[\],:]/g;
  for (let token = pattern.exec(text); token; token = pattern.exec(text)) {
    const [mark] = token;
    if (mark === '"') {
      const to = stringEnd(text, pattern.lastIndex);
      if (depth === 1 && start < 0) name = jsonOrUndefined(text.slice(token.index, to)) as string | undefined;
      pattern.lastIndex = to;
    } else if (mark === '{' || mark === '[') {
      if (depth++ === 0 && mark === '[') start = pattern.lastIndex;
    } else if (mark === '}' || mark === ']') {
      if (--depth === 0) end(token.index);
    } else if (depth === 1 && mark === ':') start = pattern.lastIndex;
    else if (depth === 1 && mark === ',') {
      end(token.index);
      if (typeof member === 'number') start = pattern.lastIndex;
    }
  }
  return found;
}
