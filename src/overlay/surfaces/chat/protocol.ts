// The chat stream: data frames, a finish reason for each choice, `[DONE]`.
import type { ChatChunk } from '../../../generated/types.ts';
import { envelopeOf, type FailureMarks, failureIn } from '../../errors/failure.ts';
import { type Fields, isFields, jsonOrUndefined } from '../../json/json-value.ts';
import { beginsObject, type Decoded, InBandFailure, nothing, type StreamProtocol, sentinel, unanswered } from '../protocol.ts';
import { ChoiceEndings, isEmptyChunk } from '../stream-content.ts';
import { chunkAfterHead } from './cut-heads.ts';
import { mendedDeltas } from './reply.ts';

const chunkMarks: FailureMarks = { expected: { choices: 'array', type: 'value' } };
/** The value of a field that only the last item has. */
interface LastItem {
  readonly field: string;
  readonly value: string;
}

/** The OpenAI-style stream: data frames of objects, an ending, `[DONE]`. */
export class ChunkProtocol<T extends object = ChatChunk> implements StreamProtocol<T> {
  usage: unknown;
  readonly #choices = new ChoiceEndings();
  readonly #last: LastItem | undefined;
  readonly #marks: FailureMarks;
  /** Undefined before an item with the field of the last one. */
  #ended: boolean | undefined;
  #done = false;
  /** Id of the last chunk. */
  #id: unknown;
  /** True once a part of the answer has arrived. */
  #hasContent = false;

  /** Without `last`, the answer is complete with a finish reason for each choice. `marks` tell a failure from an item. */
  constructor(last?: LastItem, marks: FailureMarks = chunkMarks) {
    this.#last = last;
    this.#marks = marks;
  }

  get complete(): boolean {
    return this.#done || this.#ended === true || this.#choices.finished;
  }

  get usageIsFinal(): boolean {
    return this.complete;
  }

  decode(name: string | undefined, data: string): Decoded<T> {
    if (name === 'error') throw new InBandFailure(envelopeOf(data, ''));
    if (!beginsObject(data)) {
      const text = data.trim();
      if (text === '') return nothing;
      if (text === sentinel) {
        this.#done = true;
        if (!this.#choices.begun && this.#ended === undefined) throw unanswered();
        return { done: true };
      }
    }
    const whole = jsonOrUndefined(data);
    const item = (isFields(whole) ? whole : this.#afterHead(data)) as T & { id?: unknown; choices?: unknown; usage?: unknown };
    const failure = failureIn(item, this.#marks);
    if (failure) throw new InBandFailure(failure);
    if (item.usage !== undefined && item.usage !== null) this.usage = item.usage;
    this.#choices.add(item.choices);
    const { [this.#last?.field ?? '']: value } = item as Fields;
    if (typeof value === 'string') this.#ended = value === this.#last?.value;
    this.#id = item.id;
    this.#hasContent ||= !isEmptyChunk(item);
    return { item, done: false, headDropped: item !== whole };
  }

  /** The chunk of a frame that is not JSON as a whole. */
  #afterHead(data: string): object {
    const chunk = chunkAfterHead(data);
    // A chunk with another id would begin the answer again after a part of it.
    if (!chunk || (this.#hasContent && chunk['id'] !== this.#id)) throw new SyntaxError('not an object');
    return chunk;
  }

  isHeartbeat(item: T): boolean {
    return isEmptyChunk(item);
  }
}

/** The stream of a chat: every chunk has `choices`, each with a `delta` and with text as a string. */
export class ChatProtocol extends ChunkProtocol<ChatChunk> {
  override decode(name: string | undefined, data: string): Decoded<ChatChunk> {
    const decoded = super.decode(name, data);
    const { item } = decoded;
    if (item) item.choices = mendedDeltas(item.choices) as ChatChunk['choices'];
    return decoded;
  }
}
