import { existsSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { outputLock, unfinishedOf } from '../../../store/output.ts';
import { type BulkResult, numbersOf, runBatches } from '../../bulk/engine.ts';
import { SliceFiles } from '../../bulk/slice-files.ts';
import type { BulkRow } from '../../bulk/slices.ts';
import { linesFrom } from '../../bulk/source.ts';
import { StateFile } from '../../bulk/state.ts';
import type { Cli, Handler } from '../../cli.ts';
import { exitCodes, usageError } from '../../errors/exit.ts';
import type { Input } from '../../input/input.ts';
import { budgetOf } from '../../talk/budget.ts';
import { type Destination, targetOf, targetWords } from '../../transfer/download.ts';
import { resumeNote, waitFor } from '../../transfer/waiting.ts';
import { requestRows } from './requests.ts';

export const run: Handler = async (cli, input) => {
  const place = input.arg(0);
  const target = await fileOf(cli, input);
  const numbers = numbersOf(input);
  const isStart = input.flag('no-wait');
  const keepsInput = input.flag('keep-input');
  const fields = { metadata: Object.fromEntries(input.pairs('metadata')), ...(keepsInput && { auto_delete_input_file: false }) };
  const limit = input.text('budget');
  if (isStart && limit !== undefined) throw usageError('--no-wait and --budget exclude each other', 'The cost of a batch is known at its end.');
  const words = [
    ...input.list('metadata').flatMap((pair) => ['--metadata', pair]),
    ...(keepsInput ? ['--keep-input'] : []),
    ...(limit === undefined ? [] : ['--budget', limit]),
  ];
  const source = await linesFrom(cli.screen, place, 'there are no requests on stdin');
  const client = await cli.make.client();
  // A dry run changes no file.
  const lock = cli.isDryRun ? undefined : await outputLock(target.path, target.path, cli.signal);
  const check = (): void => lock?.check();
  try {
    // Another run may have ended before this one got the lock.
    await fileOf(cli, input);
    const state = await StateFile.open(target.path, cli.isDryRun, check);
    const files = new SliceFiles(target, state, check);
    const rows = (): AsyncIterable<BulkRow> => requestRows(client, source);
    const job = { state, rows, check: source.isRepeatable ? rows : undefined, store: files.store.bind(files), fields, isStart, ...budgetOf(input) };
    const resume = ['batches', 'run', place, ...targetWords(target), ...numbers.words, ...words];
    const { total, failed, batches, started } = await waitFor<string, BulkResult>(cli, input, { resume, stateText: (text) => text }, (wait) =>
      runBatches(cli, job, numbers, wait),
    );
    if (cli.isDryRun) return undefined;
    const { path } = target;
    if (isStart) {
      await cli.screen.result({ path, batches: started }, () => cli.screen.clean(started.join('\n')));
      cli.screen.note(resumeNote(cli, resume));
      return undefined;
    }
    await files.merge();
    const [batch] = batches;
    const summary = { path, total, failed, batches: batches.map(({ id }) => id), ...(batches.length === 1 && { batch }) };
    await cli.screen.result(summary, () => cli.screen.clean(`${path}: ${total - failed} of ${total} requests succeeded`));
    return failed > 0 ? exitCodes.partial : undefined;
  } finally {
    lock?.release();
  }
};

/** The file of `-O`. It exists without --force if a run was killed right after it had written its results. */
async function fileOf(cli: Cli, input: Input): Promise<Destination> {
  const path = await realpath(input.text('out') ?? '').catch(() => undefined);
  const isWritten = path !== undefined && !existsSync(unfinishedOf(path)) && (await StateFile.open(path, true, () => undefined)).isMerged;
  if (isWritten) return { kind: 'file', path, force: input.flag('force') };
  const target = await targetOf(cli, input);
  if (target?.kind !== 'file') throw usageError('-O must be a file: the state is kept beside it', 'Pass a file name to -O.');
  return target;
}
