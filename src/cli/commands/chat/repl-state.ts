// The conversation of the repl, its questions and its counts.
import { estimateCost } from 'modelsvc';
import type { Cli } from '../../cli.ts';
import type { Attachment } from '../../talk/attachments.ts';
import { messageText } from '../../talk/continuation.ts';
import type { Conversation } from '../../talk/conversations.ts';
import type { AnswerOptions, WireMessage } from '../../talk/question.ts';
import { costText, listPrices, usageLine } from '../../talk/usage-line.ts';

export interface ReplQuestion {
  readonly text: string;
  readonly attachments: readonly Attachment[];
  /** The message of a conversation to send again. */
  readonly message?: WireMessage;
  /** The conversation that it continues. */
  readonly before: Conversation | undefined;
}

export class ReplState {
  readonly #cli: Cli;
  options: AnswerOptions;
  name: string | undefined;
  /** Files of the next question. */
  attachments: Attachment[] = [];
  #conversation: Conversation | undefined;
  /** The conversation as it was loaded or stored last. */
  #before: Conversation | undefined;
  /** The last question, while it has no answer. */
  #open: ReplQuestion | undefined;
  /** The model of the conversation that the repl began with. */
  kept: string | undefined;
  #answers = 0;
  #usage: object = {};
  #dollars: number | undefined = 0;

  constructor(cli: Cli, options: AnswerOptions, before: Conversation | undefined, name: string | undefined) {
    this.#cli = cli;
    this.options = options;
    this.#conversation = before;
    this.#before = before;
    this.kept = before?.model;
    this.name = name ?? before?.name;
  }

  get conversation(): Conversation | undefined {
    return this.#conversation;
  }

  /** The stored conversation that this one continues. */
  get before(): Conversation | undefined {
    return this.#before;
  }

  /** A question with the files that were added for it. */
  question(text: string): ReplQuestion {
    return { text, attachments: this.attachments, before: this.#conversation };
  }

  begin(question: ReplQuestion): void {
    this.#open = question;
  }

  /** Takes the conversation after an answer, or after what had arrived of it. */
  answered(conversation: Conversation): void {
    this.#conversation = conversation;
    this.attachments = [];
    this.#open = undefined;
  }

  /** Goes on with a stored conversation, which may have exchanges of other processes. */
  stored(conversation: Conversation): void {
    this.#before = conversation;
    this.#conversation = conversation;
  }

  clear(): void {
    this.#conversation = undefined;
    this.#before = undefined;
    this.#open = undefined;
    this.attachments = [];
    this.kept = undefined;
    this.name = undefined;
  }

  /** Drops the last exchange, and returns its question. Undefined if there is none. */
  undo(): ReplQuestion | undefined {
    const last = this.#lastQuestion();
    this.#open = undefined;
    if (last) this.#conversation = last.before;
    return last;
  }

  /** The last question, to be asked again. Its answer is kept until there is another. Undefined if there is none. */
  retry(): ReplQuestion | undefined {
    return this.#open ?? this.#lastQuestion();
  }

  #lastQuestion(): ReplQuestion | undefined {
    const { messages = [] } = this.#conversation ?? {};
    const at = messages.findLastIndex(({ role }) => role === 'user');
    const message = messages[at];
    if (!this.#conversation || !message) return undefined;
    const before = { ...this.#conversation, messages: messages.slice(0, at), stopped: undefined };
    return { text: messageText(message), attachments: [], message, before };
  }

  async count(model: string, usage: object | undefined): Promise<void> {
    this.#answers++;
    this.#usage = added(this.#usage, usage ?? {});
    const rows = await listPrices(this.#cli);
    const cost = rows && usage && estimateCost(model, usage, rows);
    this.#dollars = this.#dollars === undefined || cost === undefined ? undefined : this.#dollars + cost;
  }

  /** Tokens and cost of the session, for people. */
  get costLine(): string {
    if (this.#answers === 0) return 'no answers yet';
    const answers = `${this.#answers} ${this.#answers === 1 ? 'answer' : 'answers'}`;
    const cost = this.#dollars === undefined ? 'cost unknown' : `about ${costText(this.#dollars)}`;
    return `${answers}, ${usageLine('', this.#usage, undefined)}, ${cost}`;
  }
}

/** The sum of the counts, also of those in nested objects, such as cached tokens. */
function added(sum: object, usage: object): object {
  const counts: Record<string, unknown> = { ...sum };
  for (const [name, count] of Object.entries(usage) as [string, unknown][]) {
    const before = counts[name];
    if (typeof count === 'number') counts[name] = (typeof before === 'number' ? before : 0) + count;
    else if (typeof count === 'object' && count !== null) counts[name] = added(typeof before === 'object' && before !== null ? before : {}, count);
  }
  return counts;
}
