// Results that go to a file, with `-O`: the library writes them. Here are stdout, the options, and the words of the command line.
import { mkdir } from 'node:fs/promises';
import { basename } from 'node:path';
import { isApiError, isModelsvcError } from 'modelsvc';
import { checkPlace, type Downloadable, download, type FilePlace } from 'modelsvc/node';
import { fileProblem } from '../../store/error.ts';
import type { Cli } from '../cli.ts';
import { CliError, exitCodes, usageError } from '../errors/exit.ts';
import type { Input } from '../input/input.ts';
import type { RunNotes } from '../run-notes.ts';
import { transferText } from '../terminal/progress.ts';
import { KeptBlocks } from './kept-blocks.ts';
import { isOfFiles, writtenElsewhere } from './other-place.ts';
import { checkOutput } from './output-is-input.ts';

/** The place that `-O` names. A device or a pipe is written directly. */
export interface Destination {
  readonly kind: FilePlace['kind'] | 'stdout';
  readonly path: string;
  /** True if an existing file may be replaced. */
  readonly force: boolean;
}

/** The target of `-O`, checked before the command sends a request. Undefined without `-O`. */
export async function targetOf(cli: Cli, input: Input): Promise<Destination | undefined> {
  const path = input.text('out');
  if (path === undefined) return undefined;
  const force = input.flag('force');
  if (path === '') throw usageError('-O: the path is empty');
  if (path !== '-') {
    checkOutput(input, path);
    if (/[/\\]$/.test(path)) {
      // A folder that is named as one is made.
      if (cli.isDryRun) return { kind: 'folder', path, force };
      await mkdir(path, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
        throw usageError(`-O: ${fileProblem(path, error)}`);
      });
    }
    const place = await checkPlace(path, { overwrite: force }).catch((error: unknown) => {
      if (!isOfFiles(error)) throw error;
      throw error.code === 'EEXIST' ? existing(path) : usageError(`-O: ${fileProblem(error.path, error.cause)}`);
    });
    return { ...place, force };
  }
  if (cli.screen.io.stdout.isTTY) throw usageError('-O -: stdout is a terminal', 'Redirect it, or pass a file name to -O.');
  if (!cli.screen.isText) throw usageError(`-O - and --output ${cli.screen.format} both write to stdout`, 'Pass a file name to -O.');
  return { kind: 'stdout', path, force };
}

function existing(path: string): CliError {
  return usageError(`-O: ${path} already exists`, 'Pass --force to overwrite it, or another name.');
}

/** The words of a command line that name the target. */
export function targetWords(target: Destination | undefined): readonly string[] {
  return target ? ['-O', target.path, ...(target.force ? ['--force'] : [])] : [];
}

/** Saves bytes, with the progress on stderr. `name` is the file name in a folder. `isAgain`: they can be read again. Returns the path; `-` for stdout. */
export async function save(
  cli: Cli,
  blocks: Downloadable & AsyncIterable<Uint8Array>,
  name: string,
  target: Destination,
  isAgain: boolean = false,
): Promise<string> {
  if (target.kind !== 'stdout') return (await written(cli, blocks, name, target, isAgain))[0] ?? target.path;
  for await (const block of blocks) await cli.screen.bytes(block);
  return target.path;
}

/** As `save`, for a reply that cannot be fetched again. */
export async function savePaid(cli: Cli, blocks: Downloadable & AsyncIterable<Uint8Array>, name: string, target: Destination): Promise<string> {
  const kept = new KeptBlocks(blocks);
  try {
    return await save(cli, kept, name, target, true);
  } finally {
    await kept.close();
  }
}

/** Saves a text that the service has sent. If that fails and there is no other way to it, stdout gets it. */
export async function saveText(cli: Cli, text: string, name: string, target: Destination): Promise<string> {
  try {
    return await save(cli, new KeptBlocks(oneBlock(text)), name, target, target.kind !== 'device');
  } catch (error) {
    if (cli.run.freeWay === undefined && target.kind !== 'stdout' && !cli.signal.aborted) {
      // JSON and YAML are printed before they are saved.
      if (cli.screen.isText) await cli.screen.result(text, () => cli.screen.clean(text));
      cli.run.freeWay = 'The result is on stdout.';
    }
    throw error;
  }
}

/** Downloads links. A second file gets a number before its extension. `name` is for links without one. Returns the paths. */
export async function saveLinks(cli: Cli, links: readonly string[], name: string, target: Destination): Promise<readonly string[]> {
  const client = await cli.make.client();
  const places = links.map((link) => `The result is at ${link}`);
  // The wait for a job has set its own way.
  const isJob = cli.run.freeWay !== undefined;
  if (!isJob) {
    cli.run.interruptNote = places.join('\n');
    cli.run.freeWay = [...places, 'Running the command again is billed once more.'].join('\n');
  }
  try {
    if (target.kind !== 'stdout') return await written(cli, { data: links.map((url) => ({ url })) }, name, target, target.kind !== 'device');
    for (const link of links) for await (const block of await client.fetchFile(cli.ctx, link)) await cli.screen.bytes(block);
    return [target.path];
  } catch (error) {
    if (isJob) for (const one of places) cli.screen.note(one);
    throw linkError(cli.run, error, links);
  }
}

/** Writes files. A result that can be read again gets another place if its own has failed. */
async function written(cli: Cli, result: Downloadable, name: string, target: Destination, isAgain: boolean): Promise<string[]> {
  const progress = cli.screen.progress();
  const write = async (path: string, overwrite: boolean): Promise<string[]> => {
    const files = await download(result, path, {
      client: await cli.make.client(),
      overwrite,
      signal: cli.signal,
      maxBytes: 0,
      name,
      onProgress: ({ path: file, bytes, total }) => progress.show(`downloading ${basename(file)}: ${transferText(bytes, total)}`),
    });
    return files.map((file) => file.path);
  };
  try {
    return await write(target.path, target.force);
  } catch (error) {
    const shown = fileError(cli.run, error);
    const paths = isAgain && isOfFiles(error) && !cli.signal.aborted ? await writtenElsewhere(target, name, (path) => write(path, false)) : undefined;
    if (!paths) throw shown;
    progress.hide();
    cli.screen.warn(`${(shown as Error).message}; the result is in ${paths.join(', ')}`);
    return paths;
  } finally {
    progress.done();
  }
}

async function* oneBlock(text: string): AsyncGenerator<Uint8Array, void, undefined> {
  yield new TextEncoder().encode(text);
}

function fileError(run: RunNotes, error: unknown): unknown {
  if (!isOfFiles(error)) return error;
  const { code, path, cause } = error;
  if (code === 'EEXIST') return run.keeping(existing(path));
  return run.keeping(new CliError(`cannot write ${path}: ${fileProblem(path, cause)}`, exitCodes.error, 'Choose another place with -O.'));
}

/** The error of a link: its host is not the service. */
function linkError(run: RunNotes, error: unknown, links: readonly string[]): unknown {
  if (!isModelsvcError(error) || isModelsvcError(error, 'abort')) return error;
  if (isModelsvcError(error, 'validation')) return run.keeping(new CliError(`the service returned a link that ${error.problem}`, exitCodes.error));
  const hosts = [...new Set(links.map((link) => new URL(link).host))].join(' or ');
  if (!isApiError(error)) {
    const code = isModelsvcError(error, 'connection', 'timeout') ? error.code : undefined;
    return run.keeping(new CliError(`the download from ${hosts} failed: ${code ?? error.summary}`, exitCodes.network));
  }
  const { status } = error;
  const isGone = [403, 404, 410].includes(status);
  const reason = isGone ? '; the link may have expired' : '';
  return run.keeping(new CliError(`${hosts} refused the download with HTTP ${status}${reason}`, isGone ? exitCodes.notFound : exitCodes.network));
}
