import { allRoutes, type OperationName } from '../../generated/routes.ts';
import { validated, validationError } from '../../overlay/errors/problem.ts';
import { fieldsOf, isFields } from '../../overlay/json/json-value.ts';
import { nearestName, unknownName } from '../../overlay/json/known-fields.ts';
import { Problem } from '../../overlay/json/problem.ts';
import { anything, type Checks, checkValue, checkValues, count, either, fields, headers, integer, is, list, object, text, texts } from '../checks.ts';
import { mediaFile } from '../replies/media.ts';
import { type Reply, turnOperations } from '../replies/reply.ts';
import type { Turn } from '../replies/turn.ts';
import { type Answer, madeByMenu } from './answer.ts';

/** An operation by its name, for instance `chat.create`, or any of them with `*`. */
export type ScriptedOperation = OperationName | '*';

const operations: ReadonlySet<string> = new Set(allRoutes.map((route) => route.id));

/** Restores the examples. */
const noAnswer: Answer = () => undefined;

/** Hosted files accept the answers that this operation accepts. */
const hostedOperation = 'files.content';

const words = either('must be a text or a list of texts', text, texts);
const pieceList = list(
  is((one) => typeof one === 'string' || isFields(one), ''),
  'must be a list of texts or objects',
);
const source = is((value) => Symbol.asyncIterator in Object(value), '');
const call = is((value) => typeof fieldsOf(value)['name'] === 'string', '');

const turnChecks: Checks<Turn> = {
  text: words,
  reasoning: words,
  toolCalls: list(call, 'must be a list of calls, each with a name'),
  finish: text,
  usage: fields<NonNullable<Turn['usage']>>({ input: count, cached: count, output: count }, 'turn.usage'),
  webSearch: list(object, 'must be a list of objects'),
};

/** The rules of each form of a reply, by the field that it alone has. */
const replyChecks: Readonly<Record<string, Checks<object>>> = {
  turn: { turn: fields(turnChecks, 'turn') },
  example: { example: text },
  frames: { frames: either('must be a list of texts or objects, or an async iterable', pieceList, source), headers },
  body: { body: anything, status: integer(100, 999), headers },
};

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
    checkAnswer(operation, answer ?? noAnswer);
    if (answer === undefined) this.#fallbacks.delete(operation);
    else this.#fallbacks.set(operation, answer);
  }

  setHosted(path: string, answer: Answer): void {
    validated('host', () =>
      checkValue(
        'path',
        path,
        is((value) => typeof value === 'string' && value.startsWith('/'), 'must begin with /'),
      ),
    );
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

function checkAnswer(operation: string, answer: Answer): void {
  if (operation !== '*' && !operations.has(operation))
    throw validationError('script', unknownName('operation ', operation, nearestName(operation, [...operations]), ["'*'", ...operations]));
  validated(operation, () => {
    if (typeof answer === 'function') return;
    checkValue('the answer', answer, is(isFields, 'must be a reply, a fault, or a function that returns one'));
    const reply = 'fault' in answer ? madeByMenu(answer).reply : answer;
    if (reply !== undefined) checkReply(operation, reply);
  });
}

function checkReply(operation: string, reply: Reply): void {
  const form = Object.keys(replyChecks).find((name) => name in reply);
  if (form === undefined) throw new Problem('the answer', `must have ${Object.keys(replyChecks).join(', ')}, or be a fault`);
  checkValues(reply, replyChecks[form] ?? {}, '');
  if (form === 'turn' && !turnOperations.includes(operation)) throw new Problem('a turn', `answers ${turnOperations.join(' or ')}, not ${operation}`);
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
    validated('stream', () => checkValue('pieces', pieces, pieceList));
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
