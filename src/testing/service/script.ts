import { allRoutes, type OperationName } from '../../generated/routes.ts';
import { validated, validationError } from '../../overlay/errors/problem.ts';
import { checkFields, type KnownFields, nearestName, unknownName } from '../../overlay/json/known-fields.ts';
import { mediaFile } from '../replies/media.ts';
import { type Reply, turnOperations } from '../replies/reply.ts';
import type { Turn } from '../replies/turn.ts';
import { type Answer, madeByMenu } from './answer.ts';

/** An operation by its name, for instance `chat.create`, or any of them with `*`. */
export type ScriptedOperation = OperationName | '*';

const operations: ReadonlySet<string> = new Set(allRoutes.map((route) => route.id));

/** Hosted files accept the answers that this operation accepts. */
const hostedOperation = 'files.content';

const turnFields: KnownFields<Turn> = { text: 1, reasoning: 1, toolCalls: 1, finish: 1, usage: 1, webSearch: 1 };

/** The scripted answers: a queue and a fallback for each operation and for `*`. */
export class Script {
  readonly #queues = new Map<string, Answer[]>();
  readonly #fallbacks = new Map<string, Answer>();
  readonly #hosted = new Map<string, Answer>();

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

  setHosted(path: string, answer: Answer): void {
    if (!path.startsWith('/')) throw new TypeError(`the path ${path} must begin with /`);
    checkAnswer(hostedOperation, answer);
    this.#hosted.set(path, answer);
  }

  hosted(path: string): Answer | undefined {
    return this.#hosted.get(path) ?? mediaFile(path);
  }

  /** Returns the next answer without removing it. */
  peek(operation: string): Answer | undefined {
    return this.#queues.get(operation)?.[0] ?? this.#queues.get('*')?.[0] ?? this.#fallbacks.get(operation) ?? this.#fallbacks.get('*');
  }

  /** Returns the next answer and removes it from its queue. */
  take(operation: string): Answer | undefined {
    return this.#queues.get(operation)?.shift() ?? this.#queues.get('*')?.shift() ?? this.#fallbacks.get(operation) ?? this.#fallbacks.get('*');
  }

  /** Number of queued answers. */
  get waiting(): number {
    let count = 0;
    for (const queue of this.#queues.values()) count += queue.length;
    return count;
  }

  clear(): void {
    this.#queues.clear();
    this.#fallbacks.clear();
    this.#hosted.clear();
  }
}

function checkAnswer(operation: string, answer: Answer | undefined): void {
  if (operation !== '*' && !operations.has(operation))
    throw validationError('script', unknownName('operation ', operation, nearestName(operation, [...operations]), ["'*'", ...operations]));
  if (typeof answer !== 'object') return;
  const reply: Reply | undefined = 'fault' in answer ? madeByMenu(answer).reply : answer;
  if (!reply || !('turn' in reply)) return;
  if (!turnOperations.includes(operation)) throw new TypeError(`a turn answers ${turnOperations.join(' or ')}, not ${operation}`);
  validated(operation, () => checkFields(reply.turn, turnFields, 'turn'));
}

/** Scripts the turns of a model on one surface. Each is used once, in order. Then the fake answers without a script again. */
export class TurnScript {
  readonly #add: (answer: Answer) => unknown;

  /** Use `fake.chat`, `fake.messages` and `fake.responses`. */
  constructor(add: (answer: Answer) => unknown) {
    this.#add = add;
  }

  /** Answer with a text or a turn. It is streamed if the request asks for a stream. */
  reply(turn: string | Turn): this {
    return this.#turn(typeof turn === 'string' ? { text: turn } : turn);
  }

  /**
   * Answer with a text in these pieces, one frame each. A request without `stream` gets them joined. `rest` adds reasoning, tool calls,
   * finish reason or usage. If a piece is an object, the pieces are sent as the complete stream, without additions: chunks on chat, event
   * payloads on messages. Strings among them are raw frames, such as `data: [DONE]\n\n`.
   */
  stream(pieces: readonly (string | object)[], rest: Turn = {}): this {
    if (pieces.every((piece): piece is string => typeof piece === 'string')) return this.#turn({ ...rest, text: pieces });
    this.#add({ frames: pieces });
    return this;
  }

  /** Answer with one tool call. An object in `args` is sent as JSON. A string is sent verbatim, even if it is not valid JSON. */
  toolCall(name: string, args: unknown = {}, rest: Turn = {}): this {
    return this.#turn({ ...rest, toolCalls: [{ name, arguments: args }, ...(rest.toolCalls ?? [])] });
  }

  #turn(turn: Turn): this {
    this.#add({ turn });
    return this;
  }
}
