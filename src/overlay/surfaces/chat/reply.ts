import { fieldsOf, isFields, listOf, textOf, wholeArguments } from '../../json/json-value.ts';

type Mutable = Record<string, unknown>;

/** Brings the choices of a response into one form: text for a list of text parts, and `{}` for a call without arguments. */
export function mendMessages(choices: unknown): void {
  for (const { message } of listOf(choices).map(fieldsOf)) {
    if (!isFields(message)) continue;
    joinParts(message);
    for (const call of listOf(message['tool_calls'])) {
      const called = fieldsOf(call)['function'];
      if (isFields(called) && typeof (called['arguments'] ?? '') === 'string')
        (called as Mutable)['arguments'] = wholeArguments(textOf(called['arguments']));
    }
  }
}

/** The choices of a chunk, each with a `delta`. Text parts are joined. */
export function mendedDeltas(choices: unknown): unknown[] {
  const list = listOf(choices);
  const mended = (list.every(isFields) ? list : list.filter(isFields)) as Mutable[];
  for (const choice of mended) {
    if (isFields(choice['delta'])) joinParts(choice['delta']);
    else choice['delta'] = {};
  }
  return mended;
}

/** Joins the text parts of an answer, which the glm-4v family sends instead of a string. */
function joinParts(answer: Mutable): void {
  if (!Array.isArray(answer['content'])) return;
  const texts = answer['content'].map((one) => fieldsOf(one)['text']);
  // A list with other parts stays as it is: a gateway may need it back unchanged.
  if (texts.every((text) => typeof text === 'string')) answer['content'] = texts.join('');
}
