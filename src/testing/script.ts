import { allRoutes } from '../generated/routes.ts';
import type { Answer } from './answer.ts';
import { type Reply, turnOperations } from './reply.ts';
import type { Turn } from './turn.ts';

const operations: ReadonlySet<string> = new Set(allRoutes.map((route) => route.id));

/** What is scripted: for each operation, and for any (`*`), the answers to come and the one for when they are used up. */
export class Script {
  readonly #queues = new Map<string, Answer[]>();
  readonly #fallbacks = new Map<string, Answer>();

  add(operation: string, answers: readonly Answer[]): void {
    for (const answer of answers) checkAnswer(operation, answer);
    const queue = this.#queues.get(operation);
    if (queue) queue.push(...answers);
    else this.#queues.set(operation, [...answers]);
  }

  setFallback(operation: string, answer: Answer | undefined): void {
    checkAnswer(operation, answer);
    if (answer === undefined) this.#fallbacks.delete(operation);
    else this.#fallbacks.set(operation, answer);
  }

  /** The next answer, left in its place. */
  peek(operation: string): Answer | undefined {
    return this.#queues.get(operation)?.[0] ?? this.#queues.get('*')?.[0] ?? this.#fallbacks.get(operation) ?? this.#fallbacks.get('*');
  }

  /** The next answer, used up if it stood in a queue. */
  take(operation: string): Answer | undefined {
    return this.#queues.get(operation)?.shift() ?? this.#queues.get('*')?.shift() ?? this.#fallbacks.get(operation) ?? this.#fallbacks.get('*');
  }

  /** Answers that no request has used yet. */
  get waiting(): number {
    let count = 0;
    for (const queue of this.#queues.values()) count += queue.length;
    return count;
  }

  clear(): void {
    this.#queues.clear();
    this.#fallbacks.clear();
  }
}

function checkAnswer(operation: string, answer: Answer | undefined): void {
  if (operation !== '*' && !operations.has(operation))
    throw new TypeError(`there is no operation ${operation}; they are ${[...operations].join(', ')}`);
  if (typeof answer !== 'object') return;
  const reply: Reply | undefined = 'fault' in answer ? answer.reply : answer;
  if (reply && 'turn' in reply && !turnOperations.includes(operation))
    throw new TypeError(`a turn answers ${turnOperations.join(' or ')}, not ${operation}`);
}

/** The turns of a model, scripted for one surface. Each is used once, in order; then the examples of the spec come back. */
export class TurnScript {
  readonly #add: (answer: Answer) => unknown;

  /** Use `fake.chat` and `fake.messages`. */
  constructor(add: (answer: Answer) => unknown) {
    this.#add = add;
  }

  /** Answer with a text, or with a whole turn; streamed when the request asks for it. */
  reply(turn: string | Turn): this {
    return this.#turn(typeof turn === 'string' ? { text: turn } : turn);
  }

  /**
   * Answer with a text in these pieces, one frame each; `rest` adds thought, tool calls, finish reason or usage. A request that does
   * not ask to stream gets them joined. Pieces that are objects are sent as they are, as a stream without anything added:
   * chunks on chat (strings are raw frames, such as `data: [DONE]\n\n`), event payloads on messages.
   */
  stream(pieces: readonly (string | object)[], rest: Turn = {}): this {
    if (pieces.every((piece): piece is string => typeof piece === 'string')) return this.#turn({ ...rest, text: pieces });
    this.#add({ frames: pieces });
    return this;
  }

  /** Answer by asking for one tool. `args` as an object is written as JSON; as a string it goes out as it is, valid or not. */
  toolCall(name: string, args: unknown = {}, rest: Turn = {}): this {
    return this.#turn({ ...rest, toolCalls: [{ name, arguments: args }, ...(rest.toolCalls ?? [])] });
  }

  #turn(turn: Turn): this {
    this.#add({ turn });
    return this;
  }
}
