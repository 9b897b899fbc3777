import type { Surface } from '../generated/routes.ts';
import { ChatAccumulator } from '../overlay/streams/chat-accumulator.ts';
import { MessageAccumulator } from '../overlay/streams/message-accumulator.ts';

/** JSON of a chunk is at most this many times larger than its text, in practice. */
const overhead = 64;

/** Assembles the answer of a stream, up to a limit, for the recording of its content. */
export class Collector {
  readonly #chat: ChatAccumulator | undefined;
  readonly #message: MessageAccumulator | undefined;
  #left: number;

  constructor(surface: Surface | undefined, maxBytes: number) {
    this.#left = maxBytes * overhead;
    if (surface === 'messages') this.#message = new MessageAccumulator({ keepMalformed: true });
    else this.#chat = new ChatAccumulator({ keepMalformed: true });
  }

  add(item: unknown): void {
    if ((this.#left -= JSON.stringify(item).length) < 0) return;
    this.#chat?.add(item as never);
    this.#message?.add(item as never);
  }

  response(): unknown {
    return this.#chat?.response ?? this.#message?.message;
  }
}
