// The reply to a probe, and the words of it that may be shown: a reply is foreign text, and may contain anything.
import type { Claims } from './claims.ts';

/** The reply to a probe. */
export interface ProbeReply {
  readonly status: number;
  /** Business code or word of a failure, in any envelope. Undefined for a success. */
  readonly code: string | undefined;
  /** The JSON of the body; undefined if it is not JSON. */
  readonly body: unknown;
  /** The JSON of each frame of a stream. */
  readonly frames: readonly unknown[];
}

export type ReplyFields = Readonly<Record<string, unknown>>;

/** The fields of an object; none for other values. */
export function fields(value: unknown): ReplyFields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as ReplyFields) : {};
}

export function items(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The code of a failure in one of the envelopes of the service. Undefined if the body is not one. */
export function codeOf(status: number, body: unknown): string | undefined {
  const { error, code, msg, success, type } = fields(body);
  const inner = fields(error);
  const found = [inner['code'], type === 'error' ? inner['type'] : undefined].find(isCode);
  if (found !== undefined) return String(found);
  const isFailure = status >= 400 || success === false || (msg !== undefined && success === undefined && code !== 200);
  if (isFailure && isCode(code)) return String(code);
  return status >= 400 ? String(status) : undefined;
}

function isCode(value: unknown): value is string | number {
  return (typeof value === 'string' && value !== '') || typeof value === 'number';
}

/** Texts of the spec. A text of a reply is shown only if it is one of them. */
export class Vocabulary {
  readonly #words = new Set<string>();

  /** Words of all the claims. */
  constructor(sets: readonly Claims[]) {
    for (const claims of sets)
      for (const { id, place, value } of claims.values()) {
        for (const word of [id.slice(id.indexOf(':') + 1), place.split('/').at(-1) ?? '']) this.#words.add(word);
        this.#add(value);
      }
  }

  /** A value of a reply as it may be shown and stored: a word of the spec, a small number, a boolean, or its kind. */
  shown(value: unknown): string | number | boolean {
    if (typeof value === 'boolean') return value;
    if (typeof value === 'number') return Number.isFinite(value) && Math.abs(value) < 1e9 ? value : '<number>';
    if (typeof value === 'string') return this.#words.has(value) || /^\d{3,4}$/.test(value) ? value : `<text ${value.length}>`;
    if (Array.isArray(value)) return `<list ${value.length}>`;
    return value === null ? 'null' : value === undefined ? 'absent' : '<object>';
  }

  /** A status with its code, for instance `400 1210`. */
  failure({ status, code }: ProbeReply): string {
    return code === undefined ? `${status}, accepted` : `${status} ${this.shown(code)}`;
  }

  #add(value: unknown): void {
    if (typeof value === 'string') this.#words.add(value);
    else if (Array.isArray(value)) for (const one of value) this.#add(one);
    else for (const one of Object.values(fields(value))) this.#add(one);
  }
}
