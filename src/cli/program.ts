// The program: parse, run, report, exit code. It leaves the process itself alone, so that tests can run it inside their own.
import { createRequire } from 'node:module';
import { Cli, type Handler, type Makers, type UserSettings } from './cli.ts';
import { sections } from './commands/table.ts';
import { CliError, exitCodes, usageError } from './errors/exit.ts';
import type { Input, OptionValue } from './input/input.ts';
import { type Parsed, parse } from './input/parse.ts';
import { reportOf, writeReport } from './reports/report.ts';
import { groupsOf } from './table/spec.ts';
import { BrokenPipe, type Io, writeTo } from './terminal/io.ts';
import { cleaned, pageOf } from './terminal/terminal.ts';

/** Loaded on demand: help and completion need neither the library nor the store of keys. */
const makers: Makers = {
  client: async (cli) => (await import('./client.ts')).makeClient(cli),
  credential: async (cli) => (await import('./accounts/credentials.ts')).credentialOf(cli),
  models: async (cli) => (await import('./accounts/own-models.ts')).ownModels(cli.io.env),
};

/** The signals of the process while a command runs. */
export interface Interruption {
  readonly controller: AbortController;
  /** The exit code of the first signal; undefined without one. */
  readonly code: number | undefined;
  release(): void;
}

export async function main(argv: readonly string[], io: Io, interruption: () => Interruption): Promise<number> {
  if (argv[0] === '__complete') return complete(argv.slice(1), io);
  let isJson = asksForJson(argv);
  const interrupt = interruption();
  let cli: Cli | undefined;
  let input: Input | undefined;
  try {
    if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
      const { version } = createRequire(import.meta.url)('modelsvc/package.json') as { version: string };
      await writeTo(io.stdout, `${version}\n`);
      return exitCodes.ok;
    }
    let parsed = await parse(argv, sections);
    if (parsed.kind === 'help' && parsed.isBare && parsed.path.length === 0) {
      // Without a command, the text of a pipe is a prompt.
      const chat = await parse(['chat', ...argv], sections);
      if (chat.kind === 'run') cli = await newCli(chat, io, interrupt.controller);
      if (cli?.hasStdin) {
        const { imageCure } = await import('./talk/prompt.ts');
        if ((await cli.stdinText(imageCure)).trim() !== '') parsed = chat;
      }
    }
    if (parsed.kind === 'help' && isJson) parsed = await parse(jsonHelp(parsed), sections);
    if (parsed.kind === 'help') {
      const isError = parsed.isBare && argv.length > 0;
      const stream = isError ? io.stderr : io.stdout;
      await writeTo(stream, parsed.text(pageOf(stream, io.env, parsed.globals.color)));
      return isError ? exitCodes.usage : exitCodes.ok;
    }
    cli ??= await newCli(parsed, io, interrupt.controller);
    isJson ||= cli.output.format === 'json';
    const given = parsed.input.withDefaults({ values: optionsOf(cli.settings), place: 'the setting' });
    input = given;
    const run = await parsed.load();
    if (!cli.isDryRun || parsed.previews) {
      const code = (await run(cli, given)) ?? exitCodes.ok;
      return code === exitCodes.ok && cli.output.hasOddReply ? exitCodes.error : code;
    }
    const { dryRun } = await import('./dry-run/run.ts');
    return (await dryRun(cli, async () => (await run(cli as Cli, given)) ?? undefined, argv)) ?? exitCodes.ok;
  } catch (error) {
    if (error instanceof BrokenPipe) return exitCodes.ok;
    if (interrupt.code !== undefined) {
      if (cli?.interruptNote) io.stderr.write(`\n${cleaned(cli.interruptNote)}\n`);
      return interrupt.code;
    }
    if (await cli?.printsOdd(error)) return exitCodes.error;
    const report = await reportOf(cli?.refusal ?? error, input?.originOf);
    const freeWay = cli?.adviceFor(error);
    const own = freeWay !== undefined && !(error instanceof CliError) ? undefined : report.next;
    writeReport(io.stderr, { ...report, next: [own, freeWay].filter(Boolean).join('\n') || undefined }, isJson);
    return report.exitCode;
  } finally {
    interrupt.release();
    // A pipe that still waits for input would keep the process alive.
    io.stdin.destroy();
  }
}

/** The surroundings of a command. A broken file of settings is an error; for a command that makes no call a note, as it may repair the file. */
async function newCli({ globals, isLocal }: Extract<Parsed<Handler>, { kind: 'run' }>, io: Io, controller: AbortController): Promise<Cli> {
  const { readSettings } = await import('./settings/settings.ts');
  try {
    return new Cli(globals, io, controller, makers, await readSettings(io.env));
  } catch (error) {
    if (isLocal !== true) throw error;
    const cli = new Cli(globals, io, controller, makers);
    cli.output.warn((error as Error).message);
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

/** The command that prints help as JSON. A group without a command is an error. */
function jsonHelp({ path, isBare }: Extract<Parsed<Handler>, { kind: 'help' }>): string[] {
  if (isBare && path.length > 0) throw usageError(`${path.join(' ')} needs a command`, `Run \`modelsvc ${path.join(' ')} --help\`.`);
  return ['help', ...path, '--json'];
}

/** Candidates for the shell. Fails silently: the shell would print an error into the prompt. */
async function complete(words: readonly string[], io: Io): Promise<number> {
  const { candidates } = await import('./table/complete.ts');
  const { localValues } = await import('./commands/completion/local-values.ts');
  const list = await candidates(groupsOf(sections), words, localValues(io.env)).catch(() => []);
  io.stdout.write(list.map(([word, text]) => (text === '' ? `${word}\n` : `${word}\t${text}\n`)).join(''));
  return exitCodes.ok;
}
