// The answer of a model, read once from a reply of any surface, whole or collected from a stream.
import type { FinishError } from '../errors/answer-errors.ts';
import { parseArguments } from '../json/argument-repair.ts';
import type { ReadJson } from '../json/exact.ts';
import { fieldsOf, isFields, isObject, labelOf, textOf } from '../json/json-value.ts';

/** A tool call that the model requested. */
export interface RequestedCall {
  /** The model's id, or one made from round and place if the model sent no id, or an earlier call's. */
  readonly id: string;
  /** The name as the model wrote it. In a history, one that no tool can have is replaced. */
  readonly name: string;
  /** The arguments as the model wrote them; on the message surface the JSON of `input`. `{}` without arguments. */
  readonly arguments: string;
}

/** A tool call of an answer: the text that came, the value that was read, and the form that goes back. */
export class AnswerCall implements RequestedCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
  #read: { readonly json: ReadJson | undefined } | undefined;

  /** @internal */
  constructor(id: string, name: string, text: string) {
    this.id = id;
    this.name = name;
    this.arguments = text;
  }

  /**
   * The value of the arguments, and its JSON text. Code fences, trailing commas and raw line ends are repaired. A number that a double
   * cannot hold, such as an integer of 19 digits or 1e999, is a string. Undefined if the text is not JSON.
   */
  get read(): ReadJson | undefined {
    this.#read ??= { json: parseArguments(this.arguments) };
    return this.#read.json;
  }

  /** The arguments as text that the service accepts in a history: `arguments` if that is JSON, the repaired text, or `{}`. */
  get sent(): string {
    return this.read?.json ?? '{}';
  }
}

/** The next step after an answer: run its calls (`run`), send it back without results (`continue`), or none (`stop`). */
export type NextStep = 'run' | 'continue' | 'stop';

/** The answer of a reply. It is a view: each property reads the reply when you ask for it, except for calls and history, which are kept. */
export interface AnswerView<Message = object> {
  readonly surface: 'chat' | 'messages' | 'responses';
  /** The text of the answer, without thought. Of a chat response with several choices, only the first is used. */
  readonly text: string;
  /** The thought of the model, as far as the service shows it. */
  readonly thought: string;
  /** The calls of your tools. Calls of other kinds have run at the service. */
  readonly calls: readonly AnswerCall[];
  /** The answer as messages or items that can be sent back. They are the objects of the reply unless the service would refuse those. */
  readonly history: readonly Message[];
  readonly usage: object | undefined;
  /** False for a reply that broke off before its end: its usage is then a lower bound. */
  readonly usageIsFinal: boolean;
  /** The model that the reply names. */
  readonly model: string | undefined;
  readonly step: NextStep;
}

/** The answer of a reply, and whether it is one that you can use. */
export interface JudgedAnswer<Message = object> extends AnswerView<Message> {
  /** The error for an ending that is not a natural one, by its reason alone. */
  readonly ending: FinishError | undefined;
  /** The same, and also for a reason that contradicts the answer, and for a tool call that the model wrote as text. `finishError` returns it. */
  readonly problem: FinishError | undefined;
}

/** The calls of an answer, and what can be sent back of it. */
export interface Readings<Message> {
  readonly calls: readonly AnswerCall[];
  readonly history: readonly Message[];
}

/** A finish reason without its call or text. */
export type Contradiction = 'missing_tool_call' | 'no_answer';

const noNames: ReadonlySet<string> = new Set();

/** The part of a reader that all surfaces share. `round` is part of generated ids; `declared` has the names of the tools. */
export abstract class ReplyAnswer<Reply extends object, Message> implements AnswerView<Message> {
  abstract readonly surface: 'chat' | 'messages' | 'responses';
  /** The finish reason, the stop reason or the status; empty if the reply has none. */
  protected abstract readonly reason: string;
  abstract readonly text: string;
  abstract readonly thought: string;
  abstract readonly step: NextStep;
  protected readonly reply: Reply;
  readonly #round: number;
  readonly #declared: ReadonlySet<string>;
  #readings: Readings<Message> | undefined;

  constructor(reply: Reply, round = 1, declared: ReadonlySet<string> = noNames) {
    this.reply = reply;
    this.#round = round;
    this.#declared = declared;
  }

  protected abstract read(labels: CallLabels): Readings<Message>;
  /** The way in which the reason contradicts the answer. */
  abstract contradiction(): Contradiction | undefined;

  get calls(): readonly AnswerCall[] {
    return this.#read().calls;
  }

  get history(): readonly Message[] {
    return this.#read().history;
  }

  #read(): Readings<Message> {
    this.#readings ??= this.read(new CallLabels(this.#round, this.#declared));
    return this.#readings;
  }

  get usage(): object | undefined {
    const { usage } = fieldsOf(this.reply);
    return isObject(usage) ? usage : undefined;
  }

  get usageIsFinal(): boolean {
    return this.reason !== '';
  }

  get model(): string | undefined {
    return textOf(fieldsOf(this.reply)['model']) || undefined;
  }
}

/** Items of a list of a reply. Null and other values that are not objects are left out, because no service takes them back. */
export function objectsIn<T = Readonly<Record<string, unknown>>>(list: unknown): readonly T[] {
  if (!Array.isArray(list)) return [];
  return (list.every(isFields) ? list : list.filter(isFields)) as unknown as readonly T[];
}

/** Ids and names of the calls of one reply. */
export class CallLabels {
  readonly #round: number;
  readonly #declared: ReadonlySet<string>;
  readonly #ids = new Set<string>();

  constructor(round: number, declared: ReadonlySet<string>) {
    this.#round = round;
    this.#declared = declared;
  }

  /** The id of the call at a place. Without chance, because recordings compare requests. */
  id(given: unknown, index: number): string {
    const made = `call_${this.#round}_${index + 1}`;
    let id = labelOf(given).trim() === '' ? made : labelOf(given);
    for (let at = 1; this.#ids.has(id); at++) id = at === 1 ? made : `${made}_${at}`;
    this.#ids.add(id);
    return id;
  }

  /** The name in a history. One that no tool can have is replaced by one that no tool has. It has no letters of the first: a key in it would pass the filters. */
  sentName(name: string): string {
    if (canBeTool(name, this.#declared)) return name;
    let sent = 'unknown_tool';
    for (let at = 2; this.#declared.has(sent); at++) sent = `unknown_tool_${at}`;
    return sent;
  }
}

/** False for a name that no tool can have: the service refuses it in a history. */
export function canBeTool(name: string, declared: ReadonlySet<string>): boolean {
  return /^[A-Za-z0-9_-]{1,64}$/.test(name) || declared.has(name);
}
