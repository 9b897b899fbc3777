import type { FinishError } from '../errors/answer-errors.ts';
import { finishError } from '../surfaces/answer-of.ts';
import { assemblerOf } from './assembler-of.ts';
import { lastResponses } from './collect.ts';

/** How the answer of a stream ended, by the judge of complete replies. */
export class AnswerEnding {
  readonly #stream: object;
  #assembler: ReturnType<typeof assemblerOf> | undefined;

  constructor(stream: object) {
    this.#stream = stream;
  }

  /** An item that cannot be added is for the readers of its stream to refuse. */
  add(item: unknown): void {
    try {
      this.#assembler ??= assemblerOf(item);
      this.#assembler.add(item as never);
    } catch {
      // The end is judged by the other items.
    }
  }

  /** The error of an answer that ended early or contradicts itself. Of a tool loop only the last round counts. */
  get problem(): FinishError | undefined {
    const lastResponse = lastResponses.get(this.#stream);
    return finishError(lastResponse ? lastResponse() : this.#assembler?.partial);
  }
}
