// How a command that threw ends. The first row that applies decides about the words, the exit code and what is kept.
import type { Cli } from '../cli.ts';
import { CliError, exitCodes } from '../errors/exit.ts';
import type { Input } from '../input/input.ts';
import { BrokenPipe, type Io } from '../terminal/io.ts';
import { isOddReply } from '../terminal/reply.ts';
import { cleaned } from '../terminal/terminal.ts';
import { reportOf, writeReport } from './report.ts';

export interface CommandEnd {
  readonly io: Io;
  /** Undefined if the words of the command could not be read. */
  readonly cli: Cli | undefined;
  readonly input: Input | undefined;
  /** The exit code of the signal that came; undefined without one. */
  readonly signalCode: number | undefined;
  readonly isJson: boolean;
}

/** Returns the exit code if the row applies. */
type EndingRow = (error: unknown, end: CommandEnd) => Promise<number | undefined>;

/** No words: the reader of stdout has what it wanted. */
const readerGone: EndingRow = async (error) => (error instanceof BrokenPipe ? exitCodes.ok : undefined);

/** How to continue, if the command can. The work of the service goes on. */
const interrupted: EndingRow = async (_error, { io, cli, signalCode }) => {
  if (signalCode !== undefined && cli?.run.interruptNote) io.stderr.write(`\n${cleaned(cli.run.interruptNote)}\n`);
  return signalCode;
};

/** The reply itself, because it was billed. */
const oddReply: EndingRow = async (error, { cli }) => (cli && (await printsOdd(cli, error)) ? exitCodes.error : undefined);

/** The report, with the free way to a result that still exists. */
const failure: EndingRow = async (error, { io, cli, input, isJson }) => {
  const report = await reportOf(cli?.run.refusal ?? error, input?.originOf);
  const fault = cli?.run.settingsFault;
  if (fault !== undefined && fault !== report.message) cli?.screen.warn(fault);
  const freeWay = cli?.run.adviceFor(error);
  const own = freeWay !== undefined && !(error instanceof CliError) ? undefined : report.next;
  writeReport(io, { ...report, next: [own, freeWay].filter(Boolean).join('\n') || undefined }, { isJson, color: cli?.values.color });
  return report.exitCode;
};

const rows: readonly EndingRow[] = [readerGone, interrupted, oddReply, failure];

/** Ends a command that threw. Returns its exit code. */
export async function endingOf(error: unknown, end: CommandEnd): Promise<number> {
  for (const row of rows) {
    const code = await row(error, end);
    if (code !== undefined) return code;
  }
  return exitCodes.error;
}

/** Prints the last reply if a command could not lay it out. False for another error. */
export async function printsOdd({ run, screen, values }: Cli, error: unknown): Promise<boolean> {
  const reply = isOddReply(error) ? run.lastReply?.() : undefined;
  if (reply === undefined) return false;
  if (values.debug === true) screen.warn((error as Error).stack ?? '');
  await screen.odd(reply);
  return true;
}
