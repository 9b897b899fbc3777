import type { ServiceRoot } from '../generated/routes.ts';
import { ChatAccumulator } from '../overlay/streams/chat-accumulator.ts';
import type { Assembler } from '../overlay/streams/collect.ts';
import { MessageAccumulator } from '../overlay/streams/messages-accumulator.ts';
import { ResponseAccumulator } from '../overlay/streams/responses-accumulator.ts';

/** JSON of a chunk is at most this many times larger than its text, in practice. */
const overhead = 64;

/** Assembles the answer of a stream, up to a limit, for the recording of its content. */
export class Collector {
  readonly #assembler: Assembler<never, unknown>;
  #left: number;

  constructor(surface: ServiceRoot | undefined, maxBytes: number) {
    this.#left = maxBytes * overhead;
    this.#assembler = surface === 'messages' ? new MessageAccumulator() : surface === 'responses' ? new ResponseAccumulator() : new ChatAccumulator();
  }

  add(item: unknown): void {
    if ((this.#left -= JSON.stringify(item).length) < 0) return;
    this.#assembler.add(item as never);
  }

  response(): unknown {
    return this.#assembler.assembled(true);
  }
}
