import { type Fields, fieldsOf, isFields, listOf, textOf } from '../json/json-value.ts';
import { contentText } from '../surfaces/chat/answer.ts';
import { type Gain, gainOf, noGain, restOf } from './gain.ts';
import { ResponseItems } from './response-items.ts';

/** Reads what each item of a stream adds to its answer, of any surface: the pieces together are what its collector has. */
export class AnswerPieces {
  #items = new ResponseItems(false);
  /** Blocks that a message began with. The event that begins a block may repeat them. */
  #blocks: readonly Fields[] = [];

  add(item: unknown): Gain {
    const fields = fieldsOf(item);
    const { data, type, choices } = fields;
    if (data !== undefined) return this.#event(type, fieldsOf(data));
    if (typeof type !== 'string' || choices !== undefined) return chunkGain(choices);
    const gain = this.#items.add(type, fields);
    // The next round of a tool loop follows.
    if (this.#items.isOver) this.#items = new ResponseItems(false);
    return gain;
  }

  #event(type: unknown, data: Fields): Gain {
    switch (type) {
      case 'content_block_delta': {
        const { text, thinking } = fieldsOf(data['delta']);
        return text === undefined && thinking === undefined ? noGain : { text: textOf(text), thought: textOf(thinking) };
      }
      case 'content_block_start':
        return gainOfBlock(fieldsOf(data['content_block']), typeof data['index'] === 'number' ? this.#blocks[data['index']] : undefined);
      case 'message_start': {
        this.#blocks = listOf(fieldsOf(data['message'])['content']).map(fieldsOf);
        const gains = this.#blocks.map((block) => gainOfBlock(block));
        return { text: gains.map(({ text }) => text).join(''), thought: gains.map(({ thought }) => thought).join('') };
      }
      default:
        return noGain;
    }
  }
}

function gainOfBlock(block: Fields, before: Fields = {}): Gain {
  const kind = textOf(block['type']);
  return gainOf(kind, restOf(textOf(block[kind]), textOf(before[kind])));
}

/** Of several choices only the first is used. */
function chunkGain(choices: unknown): Gain {
  const first = listOf(choices).find((one) => isFields(one) && (one['index'] ?? 0) === 0);
  const { content, reasoning_content: thought } = fieldsOf(fieldsOf(first)['delta']);
  return { text: contentText(content as string | undefined), thought: textOf(thought) };
}
