import { fieldsOf, isFields, listOf } from '../errors/json-value.ts';

/** Joins the text parts of answers, which the glm-4v family sends in place of a string. `part` is the field of a choice that has the content. */
export function joinParts(choices: unknown, part: 'message' | 'delta'): void {
  for (const choice of listOf(choices)) {
    const answer = fieldsOf(choice)[part];
    if (!isFields(answer) || !Array.isArray(answer['content'])) continue;
    const texts = answer['content'].map((one) => fieldsOf(one)['text']);
    // A list with other parts is left: a gateway may need it back unchanged.
    if (texts.every((text) => typeof text === 'string')) (answer as Record<string, unknown>)['content'] = texts.join('');
  }
}
