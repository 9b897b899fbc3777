// The program: parse, run, report, exit code. It leaves the process itself alone, so that tests can run it inside their own.
import { createRequire } from 'node:module';
import { Cli, type Handler, type UserSettings } from './cli.ts';
import { sections } from './commands/table.ts';
import { exitCodes } from './errors/exit.ts';
import type { Makers } from './factory.ts';
import { commandSignal } from './files/command-signal.ts';
import type { Input, OptionValue } from './input/input.ts';
import { type Parsed, parse } from './input/parse.ts';
import { endingOf } from './reports/endings.ts';
import { reportOf } from './reports/report.ts';
import { groupsOf } from './table/spec.ts';
import { type Io, writeTo } from './terminal/io.ts';
import { pageOf } from './terminal/terminal.ts';

/** Loaded on demand: help and completion need neither the library nor the store of keys. */
const makers = (cli: Cli): Makers => ({
  client: async () => (await import('./client.ts')).makeClient(cli),
  credential: async () => (await import('./accounts/credentials.ts')).credentialOf(cli),
  models: async () => (await import('./accounts/own-models.ts')).ownModels(cli.screen.io.env),
});

/** The signals of the process while a command runs. */
export interface Interruption {
  readonly controller: AbortController;
  /** The exit code of the first signal; undefined without one. */
  readonly code: number | undefined;
  release(): void;
}

export async function main(argv: readonly string[], io: Io, interruption: () => Interruption): Promise<number> {
  if (argv[0] === '__complete') return complete(argv.slice(1), io);
  const interrupt = interruption();
  return commandSignal.run(interrupt.controller.signal, () => perform(argv, io, interrupt));
}

async function perform(argv: readonly string[], io: Io, interrupt: Interruption): Promise<number> {
  let isJson = asksForJson(argv);
  let cli: Cli | undefined;
  let input: Input | undefined;
  try {
    const given = await wordsOf(argv, isJson, (chat) => newCli(chat, io, interrupt.controller));
    if ('text' in given) {
      await writeTo(io.stdout, given.text(pageOf(io.stdout, io.env, given.globals.color)));
      return exitCodes.ok;
    }
    cli = given.cli ?? (await newCli(given.command, io, interrupt.controller));
    isJson ||= cli.screen.format === 'json';
    const { settings } = cli;
    const cure = (name: string): string =>
      `Run \`modelsvc config unset ${name}${settings.get(name)?.origin.startsWith('folder') ? ' --folder' : ''}\`, or pass --${name}.`;
    input = given.command.input.withDefaults({ values: optionsOf(settings), place: 'the setting', cure });
    const code = await run(cli, given.command, input, argv);
    if (cli.run.settingsFault !== undefined) cli.screen.warn(cli.run.settingsFault);
    return code;
  } catch (error) {
    return await endingOf(error, { io, cli, input, signalCode: interrupt.code, isJson });
  } finally {
    interrupt.release();
    // A pipe that still waits for input would keep the process alive.
    io.stdin.destroy();
  }
}

type RunCommand = Extract<Parsed<Handler>, { kind: 'run' }>;
type Help = Pick<Extract<Parsed<Handler>, { kind: 'help' }>, 'text' | 'globals'>;

/** The command that the words name, or a text to print. `open` makes the Cli of a prompt from a pipe. */
async function wordsOf(
  argv: readonly string[],
  isJson: boolean,
  open: (chat: RunCommand) => Promise<Cli>,
): Promise<Help | { readonly command: RunCommand; readonly cli?: Cli }> {
  if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
    const { version } = createRequire(import.meta.url)('modelsvc/package.json') as { version: string };
    return { text: () => `${version}\n`, globals: {} };
  }
  let parsed = await parse(argv, sections);
  if (parsed.kind === 'help' && parsed.isBare && parsed.path.length === 0) {
    // Without a command, the text of a pipe is a prompt.
    const chat = await parse(['chat', ...argv], sections);
    const cli = chat.kind === 'run' ? await open(chat) : undefined;
    if (chat.kind === 'run' && cli?.screen.hasStdin) {
      const { imageCure } = await import('./talk/prompt.ts');
      if ((await cli.screen.stdinText(imageCure)).trim() !== '') return { command: chat, cli };
    }
  }
  if (parsed.kind === 'help' && isJson) parsed = await parse(['help', ...parsed.path, '--json'], sections);
  return parsed.kind === 'help' ? parsed : { command: parsed };
}

/** Runs a command, or with `--dry-run` all of it up to its first request. Returns its exit code. */
async function run(cli: Cli, { load, previews }: RunCommand, input: Input, argv: readonly string[]): Promise<number> {
  const handler = await load();
  input.checkRequired();
  if (!cli.isDryRun || previews) {
    const code = (await handler(cli, input)) ?? exitCodes.ok;
    return code === exitCodes.ok && cli.screen.hasOddReply ? exitCodes.error : code;
  }
  const { dryRun } = await import('./dry-run/dry-run.ts');
  return (await dryRun(cli, async () => (await handler(cli, input)) ?? undefined, argv)) ?? exitCodes.ok;
}

/** The surroundings of a command. A broken file of settings is an error; for a command that makes no call a note at its end. */
async function newCli({ globals, isLocal }: RunCommand, io: Io, controller: AbortController): Promise<Cli> {
  const { readSettings } = await import('./settings/settings.ts');
  try {
    return new Cli(globals, io, controller, makers, await readSettings(io.env));
  } catch (error) {
    if (isLocal !== true) throw error;
    const cli = new Cli(globals, io, controller, makers);
    cli.run.settingsFault = (await reportOf(error)).message;
    return cli;
  }
}

/** Defaults of options. Commands other than questions have models of other kinds, so `model` is left to the questions. */
function optionsOf(settings: UserSettings): Record<string, OptionValue> {
  return Object.fromEntries([...settings].filter(([name]) => name !== 'model').map(([name, { value }]) => [name, value]));
}

/** True if `--json` or an equivalent is given. It is read before parsing, because errors of the parser are JSON too. */
function asksForJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  const words = end < 0 ? argv : argv.slice(0, end);
  return words.some(
    (word, at) => ['--json', '--output=json', '-ojson'].includes(word) || (word === 'json' && ['-o', '--output'].includes(words[at - 1] ?? '')),
  );
}

/** Candidates for the shell. Fails silently: the shell would print an error into the prompt. */
async function complete(words: readonly string[], io: Io): Promise<number> {
  const { candidates } = await import('./table/complete.ts');
  const { localValues } = await import('./commands/completion/local-values.ts');
  const list = await candidates(groupsOf(sections), words, localValues(io.env)).catch(() => []);
  io.stdout.write(list.map(([word, text]) => (text === '' ? `${word}\n` : `${word}\t${text}\n`)).join(''));
  return exitCodes.ok;
}
