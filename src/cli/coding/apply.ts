// Writes the updates of files: record first, then each file, then the record again. A kill at any moment leaves each file old or new, and the record has the values to look for.
import { readFile, stat } from 'node:fs/promises';
import { removeLeftovers } from '../../store/replace.ts';
import { CliError, exitCodes } from '../errors/exit.ts';
import { duringUpdate, entryOf, recorded, withEntry } from './entries.ts';
import { withForeignLock } from './files/foreign-lock.ts';
import { bytesFor, type ConfigFile, isCut, readConfig } from './files/read.ts';
import { ChangedFile, removeConfig, writeConfig } from './files/write.ts';
import { madeFolders } from './made-files.ts';
import type { CodingRecord, RecordData, Rescue } from './record.ts';
import type { Rehearsal } from './rehearsal.ts';
import { type FileUpdate, isUnchanged } from './task.ts';

type Save = (data: RecordData) => Promise<void>;

/** Writes all files, or none: if one fails, it and those before it are restored. */
export async function apply(recordFile: CodingRecord, rehearsal: Rehearsal, signal: AbortSignal): Promise<readonly FileUpdate[]> {
  return recordFile.change(async (start, save) => {
    // All files are worked out before the first write, so bad input leaves every file unchanged.
    await rehearsal.all(start);
    let data = start;
    const begun = new Map<string, FileUpdate>();
    try {
      for (const path of rehearsal.files) {
        data = await written(path, rehearsal, data, signal, save, begun);
        await save(data);
      }
      return [...begun.values()];
    } catch (error) {
      const { record, stuck } = await restored([...begun.values()].reverse(), start, data);
      await save({ ...record, rescues: await neededRescues((await recordFile.read()).rescues) });
      throw stuck.length > 0 && error instanceof CliError ? incomplete(error, stuck) : error;
    }
  });
}

/** Maximum attempts to write a file that another program changes at the same time. */
const attempts = 5;

/** Writes a file, and names its update in `begun` before. Returns the record with the file. */
async function written(
  path: string,
  rehearsal: Rehearsal,
  data: RecordData,
  signal: AbortSignal,
  save: Save,
  begun: Map<string, FileUpdate>,
): Promise<RecordData> {
  const hasLock = rehearsal.tasksOf(path).some((task) => task.hasLock === true);
  const once = async (): Promise<RecordData> => {
    // Reuses the update from before the lock if the file is unchanged, because long work stops the beat of a lock.
    const update = await rehearsal.update(path, data);
    begun.set(path, update);
    const { file, after, mode } = update;
    // Computed before the write, because only folders that are missing count as made.
    const next = recorded(data, update);
    if (!isUnchanged(update)) await save(duringUpdate(data, update));
    // Also if the file is gone already: a killed process may have left its folders.
    if (after === undefined) await removeConfig(file, madeFolders(data.made, path));
    else if (!isUnchanged(update)) await writeConfig(file, after, mode);
    return next;
  };
  for (let attempt = 1; ; attempt++) {
    signal.throwIfAborted();
    try {
      const { target } = await readConfig(path);
      removeLeftovers(target);
      return await (hasLock ? withForeignLock(target, signal, once) : once());
    } catch (error) {
      if (!(error instanceof ChangedFile)) throw error;
      begun.delete(path);
      if (attempt === attempts)
        throw new CliError(
          `${path} is being written by another program`,
          exitCodes.error,
          'No file was changed. End that program, then run the command again.',
        );
    }
  }
}

/** The texts of files that a failed write in place has left cut. */
async function neededRescues(rescues: readonly Rescue[] = []): Promise<readonly Rescue[]> {
  const isNeeded = async (rescue: Rescue): Promise<boolean> =>
    readFile(rescue.file).then(
      (bytes) => isCut(bytes, rescue),
      () => true,
    );
  const needed = await Promise.all(rescues.map(isNeeded));
  return rescues.filter((_, at) => needed[at]);
}

/** Restores the earlier texts and modes. A file that another program has written since stays, with its entries. Returns the matching record, and the files that could not be restored. */
async function restored(
  updates: readonly FileUpdate[],
  start: RecordData,
  data: RecordData,
): Promise<{ readonly record: RecordData; readonly stuck: readonly string[] }> {
  let record = start;
  const stuck: string[] = [];
  for (const { parts, file, after, mode } of updates.filter((one) => !isUnchanged(one))) {
    if (await isAsBefore(file)) continue;
    const now = { ...file, text: after, bytes: after === undefined ? undefined : Buffer.from(bytesFor(file, after)), isCut: false, mode };
    const back = file.text === undefined ? removeConfig(now, madeFolders(data.made, file.path)) : writeConfig(now, file.text, file.mode);
    const isBack = await back.then(
      () => true,
      () => false,
    );
    if (isBack) continue;
    stuck.push(file.path);
    for (const { task } of parts)
      record = withEntry({ ...record, made: data.made, narrowed: data.narrowed, reversals: data.reversals ?? [] }, entryOf(data, task), task);
  }
  return { record, stuck };
}

async function isAsBefore({ target, bytes, mode }: ConfigFile): Promise<boolean> {
  const [now, facts] = await Promise.all([readFile(target), stat(target)]).catch(() => []);
  return now === undefined || facts === undefined ? bytes === undefined : bytes !== undefined && now.equals(bytes) && (facts.mode & 0o777) === mode;
}

function incomplete({ message, exitCode }: CliError, stuck: readonly string[]): CliError {
  return new CliError(
    `${message}, and ${stuck.join(', ')} could not be restored`,
    exitCode,
    'Fix the cause. Then run `modelsvc coding status`, and the command again.',
  );
}
