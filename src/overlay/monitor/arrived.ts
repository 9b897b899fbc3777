// The part of a reply that has arrived, for a budget: its counts, or an estimate of its tokens. Its reader may not have taken it yet.
import type { Arriving } from '../call/door.ts';
import { type Fields, fieldsOf, isFields, isObject, jsonOrUndefined } from '../json/json-value.ts';

const bytesPerToken = 4;
/** Tokens of a picture or a file in a request: its bytes are not text. */
const attachmentTokens = 2000;
/** Data URIs, and texts that may be base64 by their characters. */
const attachments = /"(?:data:[^",]*,[^"]*|[A-Za-z0-9+/_-]+={0,2})"/g;
const shortestBase64 = 512;
/** Characters of a raw reply that are kept for its counts. */
const maxJsonLength = 4 * 1024 * 1024;
/** Fields of a delta that are not text of the model. */
const labels = /^(role|id|type|index|finish_reason|stop_reason|logprobs)$/;
const ends = /^(message_stop|response\.completed|response\.incomplete)$/;
const encoder: TextEncoder = new TextEncoder();

export class Arrived {
  readonly isEvents: boolean;
  readonly #reply: Arriving;
  readonly #isJson: boolean;
  readonly #isRaw: boolean;
  readonly #decoder = new TextDecoder();
  /** The line that has no end yet, or the JSON so far. */
  #rest = '';
  #bytes = 0;
  /** Frames with a text, each of which has a token at least, and the bytes of these texts. */
  #frames = 0;
  #textBytes = 0;
  #hasEnded = false;
  /** The counts of the frames so far. */
  usage: Fields | undefined;

  /** `form` is how the reply is read. A raw one is read by the user. */
  constructor(reply: Arriving, form: string) {
    this.#reply = reply;
    this.#isRaw = form === 'raw';
    this.#isJson = form === 'json' || reply.contentType.includes('json');
    this.isEvents = !this.#isJson && (form === 'stream' || form === 'collected' || reply.contentType.startsWith('text/event-stream'));
    reply.body.onBlock = (bytes) => this.#add(bytes);
  }

  /** True if no later counts can follow. */
  get isWhole(): boolean {
    return this.#reply.body.isWhole || this.#hasEnded;
  }

  /** A raw reply in JSON that has arrived. */
  get json(): Fields {
    return this.#isRaw && this.#isJson && this.isWhole ? fieldsOf(jsonOrUndefined(this.#rest)) : {};
  }

  /** Tokens of the answer, about. Undefined for a part of a reply of unknown length, because all of it was generated. */
  get tokens(): number | undefined {
    if (this.isEvents) return Math.max(this.#frames, Math.ceil(this.#textBytes / bytesPerToken));
    const bytes = this.isWhole ? this.#bytes : Number(this.#reply.header('content-length') ?? Number.NaN);
    return !this.#isJson ? 0 : Number.isSafeInteger(bytes) ? Math.ceil(bytes / bytesPerToken) : undefined;
  }

  #add(bytes: Uint8Array): void {
    this.#bytes += bytes.length;
    if (!this.isEvents && !(this.#isRaw && this.#isJson && this.#bytes < maxJsonLength)) return;
    const text = this.#decoder.decode(bytes, { stream: true });
    const end = this.isEvents ? text.lastIndexOf('\n') : -1;
    if (end >= 0) for (const line of (this.#rest + text.slice(0, end)).split('\n')) this.#line(line);
    this.#rest = end >= 0 ? text.slice(end + 1) : this.#rest + text;
  }

  #line(line: string): void {
    if (!line.startsWith('data:')) return;
    const frame = fieldsOf(jsonOrUndefined(line.slice(5)));
    const usage = frame['usage'] ?? fieldsOf(frame['message'] ?? frame['response'])['usage'];
    if (isFields(usage)) this.usage = { ...this.usage, ...usage };
    this.#hasEnded ||= ends.test(String(frame['type'])) || line.includes('[DONE]');
    const bytes = textBytes([frame['choices'], frame['delta'], frame['content_block']]);
    this.#textBytes += bytes;
    if (bytes > 0) this.#frames++;
  }
}

function textBytes(value: unknown, depth = 0): number {
  if (typeof value === 'string') return encoder.encode(value).length;
  if (!isObject(value) || depth > 8) return 0;
  return Object.entries(value).reduce((sum, [name, field]) => (labels.test(name) ? sum : sum + textBytes(field, depth + 1)), 0);
}

/** Tokens of a request by its bytes, about. */
export function promptTokens(body: unknown): number {
  if (typeof body !== 'string') return attachmentTokens;
  let count = 0;
  const text = body.replace(attachments, (found) => {
    if (!found.startsWith('"data:') && found.length < shortestBase64) return found;
    count++;
    return '';
  });
  return Math.ceil(encoder.encode(text).length / bytesPerToken) + count * attachmentTokens;
}
