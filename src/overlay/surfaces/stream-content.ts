import { isFields } from '../json/json-value.ts';

/** Fields that label a chunk or an event. */
const labels: ReadonlySet<string> = new Set(
  'id object created model request_id system_fingerprint service_tier agent_id conversation_id status type index'.split(' '),
);
/** Nested fields that only describe the position of a piece. */
const positions: ReadonlySet<string> = new Set(['type', 'role', 'index']);
/** Maximum depth examined; deeper values count as content. */
const maxDepth = 6;

/** True for a chunk without any part of an answer: no text, reasoning, tool call, audio, finish reason or usage. */
export function isEmptyChunk(chunk: object): boolean {
  if (String((chunk as { type?: unknown }).type).endsWith('.done')) return false;
  return isBlank(chunk, 0);
}

/** The same for an event of the message surface. The start and stop of a block count as content. */
export function isEmptyEvent(type: string, payload: object): boolean {
  return type === 'ping' || ((type === 'content_block_delta' || type === 'message_delta') && isBlank(payload, 0));
}

function isBlank(value: unknown, depth: number): boolean {
  if (value === '' || value === null || value === undefined) return true;
  if (typeof value !== 'object' || depth > maxDepth) return false;
  if (Array.isArray(value)) return value.every((one) => isBlank(one, depth + 1));
  const ignored = depth === 0 ? labels : positions;
  for (const name in value) if (!ignored.has(name) && !isBlank((value as Record<string, unknown>)[name], depth + 1)) return false;
  return true;
}

/** Tracks which choices of a chat stream have begun and which have ended. */
export class ChoiceEndings {
  readonly #finished = new Map<unknown, boolean>();
  #open = 0;

  /** True once a choice has arrived. */
  get begun(): boolean {
    return this.#finished.size > 0;
  }

  /** True once every choice has sent its finish reason, without content after it. */
  get finished(): boolean {
    return this.begun && this.#open === 0;
  }

  add(choices: unknown): void {
    if (!Array.isArray(choices)) return;
    for (const choice of choices as unknown[]) if (isFields(choice)) this.#addOne(choice);
  }

  #addOne(choice: Readonly<Record<string, unknown>>): void {
    const index = typeof choice['index'] === 'number' ? choice['index'] : 0;
    const reason = choice['finish_reason'];
    const before = this.#finished.get(index);
    const now = typeof reason === 'string' && reason !== '' ? true : before === true && isBlank(choice, 1);
    if (now === before) return;
    this.#finished.set(index, now);
    if (!now) this.#open++;
    else if (before === false) this.#open--;
  }
}
