// The calls of a run and their complete answers, as functions of its seed.
import { chatFrames, chatReply } from '../../../src/testing/replies/chat-turn.ts';
import { messageFrames, messageReply } from '../../../src/testing/replies/message-turn.ts';
import { responsesFrames, responsesReply } from '../../../src/testing/replies/responses-turn.ts';

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

/** The text of the answer to an attempt of a call. It contains its length, so that a part is recognized as incomplete. */
export function textOf(call: number, attempt: number, length: number): string {
  return `answer ${call}.${attempt} of ${length} ${'x'.repeat(length)}`;
}

/** The replies of the fake: whole, and the frames of a stream. */
const forms = { chat: [chatReply, chatFrames], messages: [messageReply, messageFrames], responses: [responsesReply, responsesFrames] } as const;

const chunkOf = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;

export function headOf(status: string, fields: readonly string[]): string {
  return `HTTP/1.1 ${status}\r\n${fields.map((field) => `${field}\r\n`).join('')}\r\n`;
}

export function answerOf({ surface, stream }: Wish, call: number, attempt: number, random: Random, framing: Framing, excess = 0): Answer {
  const text = textOf(call, attempt, upTo(random, oneOf(random, [10, 300, 5000])));
  const size = Math.ceil(text.length / (1 + upTo(random, 6)));
  const turn = { text: text.match(new RegExp(`.{1,${size}}`, 'g')) ?? [] };
  // The replies have the time of day, always with the same number of digits.
  const scene = { id: String(call), model: 'm', toolStream: false };
  const [whole, frames] = forms[surface];
  const parts = stream ? frames(turn, scene) : [JSON.stringify(whole(turn, scene))];
  const framed = framing === 'chunked' ? parts.map(chunkOf) : parts;
  const body = framed.join('') + (framing === 'chunked' ? '0\r\n\r\n' : '');
  const fields = [`content-type: ${stream ? 'text/event-stream' : 'application/json'}`];
  if (framing === 'length') fields.push(`content-length: ${body.length + excess}`);
  else fields.push(framing === 'chunked' ? 'transfer-encoding: chunked' : 'connection: close');
  if (framing !== 'close' && random() < 0.3) fields.push('connection: keep-alive', 'keep-alive: timeout=5');
  // A stream is complete with its finish reason. The sentinel may be missing, and the blank line before it too if the close ends the body.
  const needed = framed.slice(0, -1).join('').length - (surface === 'responses' ? 1 : 0);
  const enough = stream ? needed - (framing === 'close' ? 2 : 0) : body.length;
  return { head: headOf('200 OK', fields), body, enough, untilClose: framing === 'close' };
}
