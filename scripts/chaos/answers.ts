// The calls of a run and their complete answers, as functions of its seed.

/** One call of the client. */
export interface Wish {
  readonly surface: 'chat' | 'messages' | 'responses';
  readonly stream: boolean;
  readonly maxRetries: 0 | 3;
  /** Characters of the prompt. */
  readonly size: number;
  /** Milliseconds before the call. */
  readonly pauseMs: number;
  /** Milliseconds until the caller aborts the call. Undefined: it waits for the end. */
  readonly abortMs: number | undefined;
}

export type Random = () => number;

/** Random numbers from 0 to 1, by the seed and the indexes in `place` (mulberry32). */
export function randomOf(seed: number, ...place: number[]): Random {
  let state = place.reduce((mixed, one) => Math.imul(mixed ^ (one + 0x9e3779b9), 0x85ebca6b) ^ (mixed >>> 13), Math.imul(seed, 0xc2b2ae35) | 1);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export const upTo = (random: Random, limit: number): number => Math.floor(random() * (limit + 1));
export const oneOf = <T>(random: Random, list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;

export function wishOf(seed: number, call: number): Wish {
  const random = randomOf(seed, call);
  return {
    surface: oneOf(random, ['chat', 'messages', 'responses'] as const),
    stream: random() < 0.5,
    maxRetries: random() < 0.3 ? 0 : 3,
    size: random() < 0.06 ? 300_000 + upTo(random, 3_000_000) : upTo(random, 2000),
    // 120 ms is longer than a pool may use an idle socket without checking it.
    pauseMs: random() < 0.6 ? 0 : oneOf(random, [1, 3, 10, 10, 30, 120]),
    abortMs: random() < 0.1 ? upTo(random, 30) : undefined,
  };
}

/** A reply on the wire. */
export interface Answer {
  readonly head: string;
  readonly body: string;
  /** Bytes of the body after which a reader may consider the answer complete. */
  readonly enough: number;
  /** True if only the close of the connection ends the body. */
  readonly untilClose: boolean;
}

export type Framing = 'length' | 'chunked' | 'close';

const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
const data = (value: object): string => `data: ${JSON.stringify(value)}\n\n`;
const event = (type: string, more: object): string => `event: ${type}\n${data({ type, ...more })}`;

/** The text of the answer to an attempt of a call. It contains its length, so that a part is recognized as incomplete. */
export function textOf(call: number, attempt: number, length: number): string {
  return `answer ${call}.${attempt} of ${length} ${'x'.repeat(length)}`;
}

function eventsOf(surface: Wish['surface'], id: string, pieces: readonly string[]): readonly string[] {
  if (surface === 'messages')
    return [
      event('message_start', {
        message: { id, type: 'message', role: 'assistant', model: 'm', content: [], usage: { input_tokens: 1, output_tokens: 0 } },
      }),
      event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
      ...pieces.map((text) => event('content_block_delta', { index: 0, delta: { type: 'text_delta', text } })),
      event('content_block_stop', { index: 0 }),
      event('message_delta', { delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 1 } }),
      event('message_stop', {}),
    ];
  if (surface === 'responses') {
    const place = { item_id: 'm1', output_index: 0, content_index: 0 };
    const numbered = [
      ['response.created', { response: { id, object: 'response', model: 'm', status: 'in_progress', output: [] } }],
      ['response.output_item.added', { output_index: 0, item: { id: 'm1', type: 'message', role: 'assistant', status: 'in_progress', content: [] } }],
      ['response.content_part.added', { ...place, part: { type: 'output_text', text: '', annotations: [] } }],
      ...pieces.map((delta) => ['response.output_text.delta', { ...place, delta }] as const),
      ['response.completed', { response: replyOf(surface, id, pieces.join('')) }],
    ] as const;
    return numbered.map(([type, more], sequence_number) => event(type, { sequence_number, ...more }));
  }
  const chunk = (delta: object, more: object = {}): string => data({ id, model: 'm', choices: [{ index: 0, delta, ...more }] });
  return [...pieces.map((content) => chunk({ role: 'assistant', content })), chunk({}, { finish_reason: 'stop' }), 'data: [DONE]\n\n'];
}

function replyOf(surface: Wish['surface'], id: string, text: string): object {
  if (surface === 'responses') {
    const output = [{ id: 'm1', type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text, annotations: [] }] }];
    return {
      id,
      object: 'response',
      created_at: 1,
      model: 'm',
      status: 'completed',
      output,
      usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
    };
  }
  return surface === 'chat'
    ? { id, model: 'm', choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: text } }], usage }
    : {
        id,
        type: 'message',
        role: 'assistant',
        model: 'm',
        content: [{ type: 'text', text }],
        stop_reason: 'end_turn',
        usage: { input_tokens: 1, output_tokens: 1 },
      };
}

const chunkOf = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;

export function headOf(status: string, fields: readonly string[]): string {
  return `HTTP/1.1 ${status}\r\n${fields.map((field) => `${field}\r\n`).join('')}\r\n`;
}

export function answerOf({ surface, stream }: Wish, call: number, attempt: number, random: Random, framing: Framing, excess = 0): Answer {
  const text = textOf(call, attempt, upTo(random, oneOf(random, [10, 300, 5000])));
  const id = `id-${call}`;
  const size = Math.ceil(text.length / (1 + upTo(random, 6)));
  const parts = stream ? eventsOf(surface, id, text.match(new RegExp(`.{1,${size}}`, 'g')) ?? []) : [JSON.stringify(replyOf(surface, id, text))];
  const framed = framing === 'chunked' ? parts.map(chunkOf) : parts;
  const body = framed.join('') + (framing === 'chunked' ? '0\r\n\r\n' : '');
  const fields = [`content-type: ${stream ? 'text/event-stream' : 'application/json'}`];
  if (framing === 'length') fields.push(`content-length: ${body.length + excess}`);
  else fields.push(framing === 'chunked' ? 'transfer-encoding: chunked' : 'connection: close');
  if (framing !== 'close' && random() < 0.3) fields.push('connection: keep-alive', 'keep-alive: timeout=5');
  // A stream is complete with its finish reason. The sentinel may be missing, and the blank line before it too if the close ends the body.
  const needed = surface === 'responses' ? framed.join('').slice(0, -1) : framed.slice(0, -1).join('');
  const enough = stream ? needed.length - (framing === 'close' ? 2 : 0) : body.length;
  return { head: headOf('200 OK', fields), body, enough, untilClose: framing === 'close' };
}
