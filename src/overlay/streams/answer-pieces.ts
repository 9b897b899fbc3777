import { fieldsOf, isFields, listOf, textOf } from '../json/json-value.ts';
import { contentText } from '../surfaces/chat/answer.ts';
import { type Gain, gainOf } from './gain.ts';
import { MessageAccumulator } from './messages-accumulator.ts';
import { ResponseItems } from './response-items.ts';

/** Reads what each item of a stream adds to its answer, of any surface: the pieces together are what its collector has. */
export class AnswerPieces {
  readonly #message = new MessageAccumulator();
  #items = new ResponseItems(false);

  add(item: unknown): Gain {
    const fields = fieldsOf(item);
    const { data, type, choices } = fields;
    if (data !== undefined) return this.#event(item, data);
    if (typeof type !== 'string' || choices !== undefined) return chunkGain(choices);
    const gain = this.#items.add(type, fields);
    // The next round of a tool loop follows.
    if (this.#items.isOver) this.#items = new ResponseItems(false);
    return gain;
  }

  #event(item: unknown, data: unknown): Gain {
    try {
      return this.#message.gainFrom(item as never);
    } catch {
      // The collector refuses a piece of a block that did not begin.
      const { type, text, thinking } = fieldsOf(fieldsOf(data)['delta']);
      return type === 'text_delta' ? gainOf('text', textOf(text)) : gainOf('thinking', textOf(thinking));
    }
  }
}

/** Of several choices only the first is used. */
function chunkGain(choices: unknown): Gain {
  const first = listOf(choices).find((one) => isFields(one) && (one['index'] ?? 0) === 0);
  const { content, reasoning_content: thought } = fieldsOf(fieldsOf(first)['delta']);
  return { text: contentText(content as string | undefined), thought: textOf(thought) };
}
