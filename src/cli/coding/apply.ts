// Writes planned changes: record first, then each file, then the record again. A kill at any moment leaves each file old or new, and the record has the values to look for.
import { removeLeftovers } from '../accounts/file.ts';
import { CliError, exitCodes } from '../errors/exit.ts';
import type { Path } from './edits/edit.ts';
import { withForeignLock } from './files/foreign-lock.ts';
import { type ConfigFile, checkWritable, readConfig } from './files/read.ts';
import { ChangedFile, removeConfig, writeConfig } from './files/write.ts';
import { editorOf, inFile } from './formats.ts';
import { madeFolders, withMade, withoutMade } from './made.ts';
import { inherited, type PlannedText, plannedChanges, takenBack, whileWriting } from './plan-file.ts';
import type { CodingRecord, Entry, MadeFile, RecordData, RecordedEdit } from './record.ts';
import type { Change, FileChanges, Format } from './tool.ts';

/** The aim for one part of a tool in one file. Without changes its values are taken back. */
export interface Task extends Pick<FileChanges, 'file' | 'format' | 'hasLock'> {
  readonly tool: string;
  readonly part: string;
  readonly changes: readonly Change[];
  readonly isForced?: boolean;
  readonly facts: Facts;
}

/** Facts that the record keeps. */
export type Facts = Pick<Entry, 'account' | 'root' | 'keyMode' | 'version'>;

export interface PlannedFile {
  readonly task: Task;
  readonly file: ConfigFile;
  /** Text after the change; undefined if the file is removed. */
  readonly after: string | undefined;
  readonly earlier: Entry | undefined;
  readonly edits: readonly RecordedEdit[];
  /** Edits of the earlier entry that are gone. */
  readonly removed: readonly RecordedEdit[];
  readonly changed: readonly Path[];
}

export function hasChange({ file, after }: PlannedFile): boolean {
  return file.text !== after;
}

/** Works out the changes of all tasks, one after another, without writing. Throws a CliError if one is not possible. */
export async function rehearsed(tasks: readonly Task[], start: RecordData): Promise<readonly PlannedFile[]> {
  const texts = new Map<string, string | undefined>();
  const plans: PlannedFile[] = [];
  let data = start;
  for (const task of tasks) {
    const plan = await planned(task, data, texts);
    texts.set(task.file, plan.after);
    data = finished(data, plan, madeWith(data, plan));
    plans.push(plan);
  }
  return plans;
}

/** Works out the change of one file. `texts` has the texts of files that earlier tasks would change. */
async function planned(task: Task, data: RecordData, texts?: ReadonlyMap<string, string | undefined>): Promise<PlannedFile> {
  const read = await readConfig(task.file);
  const file = texts?.has(task.file) ? { ...read, text: texts.get(task.file) } : read;
  const earlier = entryOf(data, task);
  const editor = await editorOf(task.format);
  const text = file.text ?? '';
  inFile(task.file, () => editor.parse(text));
  const result: PlannedText =
    task.changes.length > 0
      ? plannedChanges(task.file, editor, text, task.changes, earlier)
      : takenBack(task.file, editor, text, earlier?.edits ?? [], { isForced: task.isForced === true, isComplete: earlier?.state !== 'writing' });
  const isLast = !data.entries.some((entry) => entry.file === task.file && entry !== earlier);
  const isMade = data.made.some((one) => one.file === task.file);
  const isGone = task.changes.length === 0 && isLast && isMade && isEmpty(result.text, task.format);
  const plan: PlannedFile = {
    task,
    file,
    after: file.text === undefined && result.text === '' ? undefined : isGone ? undefined : result.text,
    earlier,
    edits: result.edits,
    removed: (earlier?.edits ?? []).filter((edit) => !result.edits.some((one) => samePath(one, edit))),
    changed: result.changed,
  };
  if (hasChange(plan)) await checkWritable(file);
  return plan;
}

/** Writes the tasks, all or none: if a file fails, those before it are restored. */
export async function apply(record: CodingRecord, tasks: readonly Task[], signal: AbortSignal): Promise<PlannedFile[]> {
  return record.change(async (start, save) => {
    // All tasks are rehearsed before the first write, so that bad input leaves every file as it is.
    await rehearsed(tasks, start);
    let data = start;
    const done: PlannedFile[] = [];
    try {
      for (const task of tasks) {
        const plan = await written(task, data, signal, async (next) => {
          data = next;
          await save(next);
        });
        done.push(plan.plan);
        data = plan.data;
        await save(data);
      }
      return done;
    } catch (error) {
      await save(await restored(done.reverse(), start, data));
      throw error;
    }
  });
}

/** Attempts to write a file that other programs change at the same time. */
const attempts = 5;

async function written(
  task: Task,
  data: RecordData,
  signal: AbortSignal,
  save: (data: RecordData) => Promise<void>,
): Promise<{ readonly plan: PlannedFile; readonly data: RecordData }> {
  const once = async (): Promise<{ readonly plan: PlannedFile; readonly data: RecordData }> => {
    const plan = await planned(task, data);
    const { file, after, earlier, edits } = plan;
    const made = madeWith(data, plan);
    if (hasChange(plan)) {
      await save(withEntry({ ...data, made }, entry(plan, 'writing', whileWriting(earlier?.edits ?? [], edits)), task));
      if (after === undefined) await removeConfig(file, madeFolders(data.made, task.file));
      else await writeConfig(file, after);
    }
    return { plan, data: finished(data, plan, made) };
  };
  for (let attempt = 1; ; attempt++) {
    signal.throwIfAborted();
    try {
      const { target } = await readConfig(task.file);
      await removeLeftovers(target);
      return await (task.hasLock === true ? withForeignLock(target, signal, once) : once());
    } catch (error) {
      if (!(error instanceof ChangedFile)) throw error;
      if (attempt === attempts)
        throw new CliError(
          `${task.file} is being written by another program`,
          exitCodes.error,
          'No file was changed. End that program, then run the command again.',
        );
    }
  }
}

/** Puts the texts before back. Where another program has written in between, the file and its entry stay. Returns the record that fits. */
async function restored(plans: readonly PlannedFile[], start: RecordData, data: RecordData): Promise<RecordData> {
  let record = start;
  for (const plan of plans.filter(hasChange)) {
    const { task, file, after } = plan;
    const now = { ...file, text: after };
    const back = file.text === undefined ? removeConfig(now, madeFolders(data.made, task.file)) : writeConfig(now, file.text);
    const isBack = await back.then(
      () => true,
      () => false,
    );
    if (!isBack) record = withEntry({ ...record, made: data.made }, entryOf(data, task), task);
  }
  return record;
}

function finished(data: RecordData, plan: PlannedFile, made: readonly MadeFile[]): RecordData {
  const { task, edits, removed } = plan;
  const own = edits.length > 0 ? entry(plan, 'written', edits) : undefined;
  const next = withEntry({ ...data, made }, own, task);
  // A container that a removed edit had made now belongs to another edit in it.
  const inFile = next.entries.filter(({ file }) => file === task.file);
  const all = inFile.flatMap((one) => one.edits);
  const heirs = inherited(all, removed);
  return {
    made: inFile.length > 0 ? next.made : withoutMade(next.made, task.file),
    entries: next.entries.map((one) => (one.file === task.file ? { ...one, edits: one.edits.map((edit) => heirs[all.indexOf(edit)] ?? edit) } : one)),
  };
}

function entry({ task }: PlannedFile, state: Entry['state'], edits: readonly RecordedEdit[]): Entry {
  const { tool, part, file, format, facts } = task;
  const { account, root, keyMode, version } = facts;
  return { tool, part, file, format, state, account, root, keyMode, version, time: new Date().toISOString(), edits };
}

function withEntry(data: RecordData, next: Entry | undefined, task: Task): RecordData {
  const earlier = entryOf(data, task);
  const others = data.entries.filter((one) => one !== earlier);
  return { ...data, entries: next ? [...others, next] : others };
}

export function entryOf(data: RecordData, { tool, part, file }: Pick<Task, 'tool' | 'part' | 'file'>): Entry | undefined {
  return data.entries.find((one) => one.tool === tool && one.part === part && one.file === file);
}

function madeWith({ made }: RecordData, { file, after }: PlannedFile): readonly MadeFile[] {
  return after === undefined ? made : withMade(made, file);
}

/** True for a text without a value and without a comment. */
function isEmpty(text: string, format: Format): boolean {
  return format === 'json' || format === 'jsonc' ? /^\s*(?:\{\s*\})?\s*$/.test(text) : text.trim() === '';
}

function samePath(a: RecordedEdit, b: RecordedEdit): boolean {
  return JSON.stringify(a.path) === JSON.stringify(b.path);
}
