// The chat stream: data frames, a finish reason for each choice, `[DONE]`.
import type { ChatChunk } from '../../../generated/types.ts';
import { envelopeOf, type FailureMarks, failureIn } from '../../errors/failure.ts';
import { isFields, jsonOrUndefined } from '../../json/json-value.ts';
import { beginsObject, type Decoded, InBandFailure, nothing, type StreamProtocol, sentinel, unanswered } from '../protocol.ts';
import { ChoiceEndings, isEmptyChunk } from '../stream-content.ts';
import { chunkAfterHead } from './cut-heads.ts';
import { mendedDeltas } from './reply.ts';

const chunkMarks: FailureMarks = { expected: { choices: 'array', type: 'value' } };
/** The OpenAI-style stream: data frames, a finish reason for each choice, `[DONE]`. */
export class ChunkProtocol<T extends object = ChatChunk> implements StreamProtocol<T> {
  usage: unknown;
  readonly #choices = new ChoiceEndings();
  /** A transcription stream has no choices; its items have a type instead. */
  #transcript: 'none' | 'begun' | 'done' = 'none';
  #done = false;
  /** Id of the last chunk. */
  #id: unknown;
  /** True once a part of the answer has arrived. */
  #hasContent = false;

  get complete(): boolean {
    return this.#done || this.#transcript === 'done' || this.#choices.finished;
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
        if (!this.#choices.begun && this.#transcript === 'none') throw unanswered();
        return { done: true };
      }
    }
    const whole = jsonOrUndefined(data);
    const item = (isFields(whole) ? whole : this.#afterHead(data)) as T & { id?: unknown; choices?: unknown; usage?: unknown; type?: unknown };
    const failure = failureIn(item, chunkMarks);
    if (failure) throw new InBandFailure(failure);
    if (item.usage !== undefined && item.usage !== null) this.usage = item.usage;
    this.#choices.add(item.choices);
    if (typeof item.type === 'string' && item.type.startsWith('transcript.'))
      this.#transcript = item.type === 'transcript.text.done' ? 'done' : 'begun';
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
