import { fieldsOf, isFields, textOf } from '../json/json-value.ts';
import { answerOf } from '../surfaces/answer-of.ts';
import { assemblerOf } from './assembler-of.ts';
import type { Assembler } from './collect.ts';

/** Watches the items of a stream for the first part of an answer: text, thought or a call. An event such as `message_start` does not count. */
export class Beginning {
  #assembler: Assembler<never, object> | undefined;
  #begun = false;

  get begun(): boolean {
    return this.#begun;
  }

  /** True once a part has come. Items are assembled until then. */
  add(item: unknown): boolean {
    this.#begun ||= isSurfaceItem(item) ? this.#hasPart(item) : item !== '';
    return this.#begun;
  }

  #hasPart(item: object): boolean {
    try {
      this.#assembler ??= assemblerOf(item);
      this.#assembler.add(item as never);
      const { partial } = this.#assembler;
      if (!partial) return false;
      const { text, thought, calls } = answerOf(partial as never);
      return text !== '' || thought !== '' || calls.length > 0;
    } catch {
      // An item that cannot be assembled is passed on, so the stream has begun for its reader.
      return true;
    }
  }
}

/** False for a text, and for items that the caller made. */
function isSurfaceItem(item: unknown): item is object {
  const { choices, type, data } = fieldsOf(item);
  return Array.isArray(choices) || textOf(type).startsWith('response.') || (isFields(data) && data['type'] === type);
}
