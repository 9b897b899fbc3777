// The input of a tool call arrives as a value, which cannot hold each integer of more than 15 digits, nor 1e999. Its text is kept for those.

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
  if (!body.includes('"tool_use"') || !losesDigits(body)) return;
  const blocks = [...membersIn(memberIn(body, 'content') ?? '')];
  for (const [index, block] of listOf(fieldsOf(reply)['content']).entries()) {
    if (!isFields(block) || block['type'] !== 'tool_use') continue;
    const text = memberIn(blocks[index]?.[1] ?? '', 'input');
    if (text !== undefined) withInputText(block['input'], text);
  }
}

/** The text of a member of an object: the last one of its name, as in `JSON.parse`. */
function memberIn(text: string, member: string): string | undefined {
  let found: string | undefined;
  for (const [name, value] of membersIn(text)) if (name === member) found = value;
  return found;
}

/** Name and text of each member of an object, or of each item of a list without a name. The text is valid JSON. */
function* membersIn(text: string): Generator<readonly [name: string | undefined, value: string]> {
  let depth = 0;
  let isList = false;
  let [name, start]: [string | undefined, number] = [undefined, -1];
  const pattern = /["{}[\],:]/g;
  for (let token = pattern.exec(text); token; token = pattern.exec(text)) {
    const [mark] = token;
    if (mark === '"') {
      const to = stringEnd(text, pattern.lastIndex);
      if (depth === 1 && start < 0) name = jsonOrUndefined(text.slice(token.index, to)) as string | undefined;
      pattern.lastIndex = to;
    } else if (mark === '{' || mark === '[') {
      if (depth++ > 0) continue;
      isList = mark === '[';
      if (isList) start = pattern.lastIndex;
    } else if (mark === ':' && depth === 1) start = pattern.lastIndex;
    else if ((mark === ',' && depth === 1) || (mark !== ',' && mark !== ':' && --depth === 0)) {
      if (start >= 0) yield [name, text.slice(start, token.index).trim()];
      start = isList ? pattern.lastIndex : -1;
    }
  }
}
