// An answer that is asked for as a stream and returned whole. Its header comes at once, so the limit for the header does not end a paid answer.
import type { Route } from '../../generated/routes.ts';
import { beginsWithJson, tooLong } from '../call/reply/body.ts';
import { type OnText, readJson } from '../call/reply/decode.ts';
import type { Reply } from '../call/reply/reply.ts';
import { type Received, rememberInfo } from '../call/reply/response-info.ts';
import { buildCall } from '../call/request/build-call.ts';
import type { InputOf } from '../call/request/input.ts';
import { send } from '../call/send.ts';
import type { Settings } from '../call/settings/settings.ts';
import type { CallContext } from '../context.ts';
import { fieldsOf } from '../json/json-value.ts';
import { mendMessages } from '../surfaces/chat/reply.ts';
import { InBandFailure, type StreamProtocol } from '../surfaces/protocol.ts';
import type { TransportFailure } from '../transport/transport.ts';
import type { Assembler } from './collect.ts';
import { ItemFrames } from './item-frames.ts';

/** How the stream of a surface becomes its answer. */
export interface Collecting<Item, Answer> {
  protocol(): StreamProtocol<Item>;
  assembler(): Assembler<Item, Answer>;
  readonly onText: OnText | undefined;
  /** The answer of a server that sent it whole. */
  whole(json: object): Answer;
}

/** Asks for a stream and returns its answer. It is one reply of one call: read inside the attempt, so that a refused one can be repeated. */
export function requestCollected<Operation, Item, Answer extends object>(
  settings: Settings,
  route: Route<Operation>,
  ctx: CallContext,
  input: () => InputOf<Operation>,
  operation: string,
  how: Collecting<Item, Answer>,
): Promise<Received<Answer>> {
  const call = buildCall(route, ctx, settings, () => ({ ...input(), stream: 'collected' }), operation);
  return send(call, settings, (reply) => collected(reply, how));
}

async function collected<Item, Answer extends object>(reply: Reply, how: Collecting<Item, Answer>): Promise<Received<Answer>> {
  const { body, info } = reply;
  // Gateways, recordings and stubs send it whole, under any type.
  const isSuccess = info.status >= 200 && info.status <= 299;
  if (!isSuccess || (await beginsWithJson(reply))) {
    const value = await readJson(reply, how.onText);
    mendMessages(fieldsOf(value)['choices']);
    return rememberInfo(how.whole(value), info);
  }
  const protocol = how.protocol();
  const assembler = how.assembler();
  reply.seen = { usage: protocol, partial: () => assembler.partial };
  let late: TransportFailure | undefined;
  const onLate = (failure: TransportFailure): void => {
    late = failure;
    body.cancel();
  };
  const frames = new ItemFrames(reply, protocol, (item) => assembler.add(item), onLate);
  const kept = new KeptSize(reply, assembler);
  try {
    for (let block = await body.next(); block && !frames.over; block = frames.over ? undefined : await body.next()) {
      frames.feed(block);
      kept.grew(block.length);
    }
    if (late) throw late;
    frames.end();
    const answer = assembler.assembled();
    reply.complete(protocol.usage, answer);
    body.linger();
    return rememberInfo(answer, info) as Received<Answer>;
  } catch (cause) {
    if (cause instanceof InBandFailure) throw Object.assign(reply.refused(cause.envelope), { usage: protocol.usage });
    throw frames.failureOf(cause);
  } finally {
    frames.content?.stop();
  }
}

/**
 * Holds `maxReplyBytes` for what is kept of the frames, which are many times as long. It is measured once for each `maxReplyBytes` of frames, so that the
 * time of it is linear.
 */
class KeptSize {
  readonly #reply: Reply;
  readonly #assembler: Assembler<never, object>;
  #unmeasured = 0;

  constructor(reply: Reply, assembler: Assembler<never, object>) {
    this.#reply = reply;
    this.#assembler = assembler;
  }

  grew(bytes: number): void {
    const limit = this.#reply.settings.maxReplyBytes;
    this.#unmeasured += bytes;
    if (limit === 0 || this.#unmeasured <= limit) return;
    this.#unmeasured = 0;
    if (textLength(this.#assembler.partial) > limit) throw tooLong(limit, this.#reply.broken.bind(this.#reply));
  }
}

/** Characters of all texts in a value. */
function textLength(value: unknown): number {
  let length = 0;
  JSON.stringify(value, (_, part: unknown) => {
    if (typeof part === 'string') length += part.length;
    return part;
  });
  return length;
}
