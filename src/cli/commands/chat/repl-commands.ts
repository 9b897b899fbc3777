// The commands of the repl, as a table: help, hints and completion read it.
import type { Cli } from '../../cli.ts';
import { usageError } from '../../errors/exit.ts';
import { textOrFile } from '../../input/input.ts';
import { meantHint } from '../../table/near-miss.ts';
import { attachmentOf, type LinkKind } from '../../talk/attachments.ts';
import { ConversationStore, checkedName } from '../../talk/conversations.ts';
import { type AnswerOptions, defaultModel } from '../../talk/question.ts';
import { beginning } from '../../terminal/width.ts';
import { edited } from './editor.ts';
import type { ReplLines } from './repl-lines.ts';
import type { ReplQuestion, ReplState } from './repl-state.ts';

export interface Repl {
  readonly cli: Cli;
  readonly state: ReplState;
  readonly lines: ReplLines;
  /** Stores the conversation as it is, unless storing is off. */
  store(): Promise<void>;
}

/** Runs a command. Returns a question to ask, or `exit`. */
// biome-ignore lint/suspicious/noConfusingVoidType: a command without a return value has the type void
type ReplAction = (repl: Repl, text: string) => Promise<ReplQuestion | 'exit' | void>;

export interface ReplCommand {
  readonly name: string;
  readonly value?: string;
  readonly purpose: string;
  readonly complete?: 'model' | 'file' | 'conversation';
  readonly run: ReplAction;
}

const retry: ReplAction = async ({ cli, state }) => {
  const question = state.retry();
  if (!question) cli.screen.note('there is no question to ask again');
  return question;
};

const undo: ReplAction = async ({ cli, state, store }) => {
  const question = state.undo();
  if (!question) return cli.screen.note('there is no exchange to undo');
  await store();
  cli.screen.note(`dropped: ${firstLine(question.text)}`);
};

const edit: ReplAction = async ({ cli, state, lines }, text) => {
  const message = await lines.aside(() => edited(cli, text));
  if (message.trim() === '') return cli.screen.note('the text is empty');
  cli.screen.note(`> ${firstLine(message)}`);
  return state.question(message);
};

const model: ReplAction = async ({ cli, state }, text) => {
  if (text !== '') state.options = withModel(cli, state, cli.modelId(text));
  cli.screen.note(`model: ${modelOf(cli, state)}`);
};

/** Options for another model. A model of `--fallback` changes places with the present one. */
function withModel(cli: Cli, state: ReplState, id: string): AnswerOptions {
  const [{ options }, before] = [state, modelOf(cli, state)];
  return { ...options, model: id, fallback: options.fallback.map((one) => (one === id ? before : one)) };
}

/** The model of questions in text. */
function modelOf(cli: Cli, { options, kept = defaultModel(cli) }: ReplState): string {
  return options.model || kept;
}

const system: ReplAction = async ({ cli, state }, text) => {
  if (text.startsWith('@')) checkTyped(cli, '/system');
  const prompt = text === '' ? undefined : await textOrFile('/system', text, () => Promise.resolve(''));
  state.options = { ...state.options, system: prompt };
  cli.screen.note(prompt === undefined ? 'no system prompt' : 'system prompt set');
};

/** Lines of a pipe are data, which names no file. */
function checkTyped({ screen: { io } }: Cli, command: string): void {
  if (io.stdin.isTTY !== true)
    throw usageError(`${command} of a pipe cannot name a file`, 'Type it on a terminal, or ask with `modelsvc chat -f PATH`.');
}

const file: ReplAction = async ({ cli, state }, text) => {
  if (!/^(?:https?|data):/i.test(text)) checkTyped(cli, '/file');
  if (text === '-') cli.screen.note('/file takes a path or a URL.');
  else {
    const [, link, as] = /^(.*\S)\s+--as\s+(image|video|document)$/.exec(text) ?? [undefined, text];
    state.attachments = [...state.attachments, await attachmentOf(cli.screen, link ?? '', as as LinkKind | undefined)];
  }
  cli.screen.note(`files for the next question: ${state.attachments.length}`);
};

const save: ReplAction = async ({ cli, state }, text) => {
  const name = checkedName(text);
  if (cli.isPrivate) throw usageError('/save and --no-log exclude each other');
  if (!state.conversation) return cli.screen.note('the conversation is empty');
  const { apiKey } = await cli.make.credential();
  state.stored(await new ConversationStore(cli.screen.io.env).save({ ...state.conversation, name }, undefined, [apiKey]));
  state.name = name;
  cli.screen.note(`saved; continue with: modelsvc chat --conversation ${name}`);
};

const load: ReplAction = async ({ cli, state }, text) => {
  const name = checkedName(text);
  const conversation = await new ConversationStore(cli.screen.io.env).load(name);
  const { surface, messages, system: prompt, model: id } = conversation;
  if (surface !== 'chat') throw usageError(`the conversation belongs to modelsvc ${surface}`, `Continue it with \`modelsvc ${surface}\`.`);
  state.options = { ...withModel(cli, state, id), system: prompt };
  state.clear();
  state.stored(conversation);
  state.name = name;
  cli.screen.note(`loaded: ${messages.length} messages, model ${id}`);
};

const clear: ReplAction = async ({ cli, state }) => {
  state.clear();
  cli.screen.note('conversation cleared');
};

const cost: ReplAction = async ({ cli, state }) => cli.screen.note(state.costLine);

const help: ReplAction = async ({ cli }) => {
  for (const { name, value, purpose } of replCommands) cli.screen.note(`${`/${name} ${value ?? ''}`.padEnd(15)} ${purpose}`);
  cli.screen.note(`${'"""'.padEnd(15)} begins and ends a question of several lines`);
  cli.screen.note(`${'//text'.padEnd(15)} a question that begins with a slash`);
};

const exit: ReplAction = async () => 'exit';

export const replCommands: readonly ReplCommand[] = [
  { name: 'retry', purpose: 'ask the last question again', run: retry },
  { name: 'undo', purpose: 'drop the last exchange', run: undo },
  { name: 'edit', value: '[TEXT]', purpose: 'write a question in $VISUAL or $EDITOR', run: edit },
  { name: 'model', value: '[ID]', purpose: 'use a model, or print its id', complete: 'model', run: model },
  { name: 'system', value: '[TEXT]', purpose: 'set the system prompt; @FILE reads it, and no text removes it', complete: 'file', run: system },
  { name: 'file', value: 'PATH|URL', purpose: 'add a file to the next question', complete: 'file', run: file },
  { name: 'save', value: 'NAME', purpose: 'store the conversation under a name', complete: 'conversation', run: save },
  { name: 'load', value: 'NAME', purpose: 'go on with a stored conversation', complete: 'conversation', run: load },
  { name: 'clear', purpose: 'forget the conversation', run: clear },
  { name: 'cost', purpose: 'tokens and cost of this session', run: cost },
  { name: 'help', purpose: 'these lines', run: help },
  { name: 'exit', purpose: 'leave', run: exit },
];

const otherNames: ReadonlyMap<string, string> = new Map([
  ['quit', 'exit'],
  ['usage', 'cost'],
]);

/** Runs the command of a name. Throws a CliError if its text does not fit. */
export async function runCommand(repl: Repl, name: string, text: string): ReturnType<ReplAction> {
  const command = replCommands.find((one) => one.name === (otherNames.get(name) ?? name));
  if (command) return command.run(repl, text);
  const names = replCommands.map((one) => `/${one.name}`);
  repl.cli.screen.note(
    `/${name} is not a command${meantHint(`/${name}`, names)}; /help lists them. A question that begins with a slash is //${name} …`,
  );
}

function firstLine(text: string): string {
  const [line = '', ...more] = text.trim().split('\n');
  return beginning(line, 70) + (more.length > 0 || line.length > 70 ? ' …' : '');
}
