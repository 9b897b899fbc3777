// The conversation of the repl, and the commands that change it.
import type { Cli } from '../../cli.ts';
import { textOrFile } from '../../input/input.ts';
import { type Attachment, attachmentOf } from '../../talk/attachments.ts';
import { type Conversation, ConversationStore, checkedName } from '../../talk/conversations.ts';
import { defaultModel, type Manner } from '../../talk/question.ts';
import { usageLine } from '../../talk/usage-line.ts';

const helpLines: readonly (readonly [command: string, purpose: string])[] = [
  ['/model [ID]', 'use a model, or print its id'],
  ['/system [TEXT]', 'set the system prompt; @FILE reads it, and no text removes it'],
  ['/file PATH|URL', 'add a file to the next question'],
  ['/save NAME', 'store the conversation under a name'],
  ['/clear', 'forget the conversation'],
  ['/usage', 'tokens of this session'],
  ['/help', 'these lines'],
  ['/exit', 'leave'],
  ['"""', 'begins and ends a question of several lines'],
  ['//text', 'a question that begins with a slash'],
];

export class ReplState {
  readonly #cli: Cli;
  #manner: Manner;
  #conversation: Conversation | undefined;
  /** The conversation as it was loaded or stored last. */
  #before: Conversation | undefined;
  #attachments: Attachment[] = [];
  #usage: object = {};
  name: string | undefined;

  constructor(cli: Cli, manner: Manner, before: Conversation | undefined, name: string | undefined) {
    this.#cli = cli;
    this.#manner = manner;
    this.#conversation = before;
    this.#before = before;
    this.name = name ?? before?.name;
  }

  get manner(): Manner {
    return this.#manner;
  }

  get conversation(): Conversation | undefined {
    return this.#conversation;
  }

  /** The stored conversation that this one continues. */
  get before(): Conversation | undefined {
    return this.#before;
  }

  /** Goes on with the conversation in its file, which may have exchanges of other processes. */
  stored(conversation: Conversation | undefined): void {
    if (!conversation) return;
    this.#before = conversation;
    this.#conversation = conversation;
  }

  /** Files of the next question. */
  get attachments(): readonly Attachment[] {
    return this.#attachments;
  }

  answered(conversation: Conversation, usage: object | undefined): void {
    this.#conversation = conversation;
    this.#attachments = [];
    this.#usage = added(this.#usage, usage ?? {});
  }

  /** Performs a command. Throws a CliError if its text does not fit. */
  async command(name: string, text: string): Promise<'exit' | undefined> {
    const { output } = this.#cli;
    switch (name) {
      case 'exit':
      case 'quit':
        return 'exit';
      case 'help':
        for (const [command, purpose] of helpLines) output.note(`${command.padEnd(15)} ${purpose}`);
        break;
      case 'model':
        if (text !== '') this.#manner = { ...this.#manner, model: this.#cli.modelId(text) };
        output.note(`model: ${this.#manner.model || defaultModel(this.#cli)}`);
        break;
      case 'system': {
        const system = text === '' ? undefined : await textOrFile('/system', text, () => Promise.resolve(''));
        this.#manner = { ...this.#manner, system };
        output.note(system === undefined ? 'no system prompt' : 'system prompt set');
        break;
      }
      case 'file':
        if (text === '-') output.note('/file takes a path or a URL.');
        else this.#attachments.push(await attachmentOf(this.#cli, text));
        output.note(`files for the next question: ${this.#attachments.length}`);
        break;
      case 'save':
        await this.#save(text);
        break;
      case 'clear':
        this.#conversation = undefined;
        this.#before = undefined;
        this.#attachments = [];
        this.name = undefined;
        output.note('conversation cleared');
        break;
      case 'usage':
        output.note(usageLine('', Object.keys(this.#usage).length === 0 ? undefined : this.#usage, undefined) ?? 'no usage yet');
        break;
      default:
        output.note(`/${name} is not a command; /help lists them`);
    }
    return undefined;
  }

  async #save(text: string): Promise<void> {
    const name = checkedName(text);
    if (!this.#conversation) return this.#cli.output.note('the conversation is empty');
    this.stored(await new ConversationStore(this.#cli.io.env).save({ ...this.#conversation, name }, undefined));
    this.name = name;
    this.#cli.output.note(`saved; continue with: modelsvc chat --conversation ${name}`);
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
