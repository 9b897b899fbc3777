// Writes planned changes: record first, then each file, then the record again. A kill at any moment leaves each file old or new, and the record has the values to look for.
import { removeLeftovers } from '../accounts/file.ts';
import { CliError, exitCodes } from '../errors/exit.ts';
import type { Path } from './edits/edit.ts';
import { withForeignLock } from './files/foreign-lock.ts';
import { type ConfigFile, checkWritable, readConfig } from './files/read.ts';
import { ChangedFile, removeConfig, writeConfig } from './files/write.ts';
import { editorOf, inFile } from './formats.ts';
import { madeFolders, withMade, withoutMade } from './made.ts';
import { inherited, type PlannedText, plannedChanges, takenBack, type WhenChanged, whileWriting } from './plan-file.ts';
import type { CodingRecord, Entry, MadeFile, RecordData, RecordedEdit } from './record.ts';
import type { Change, FileChanges, Format } from './tool.ts';

/** The aim for one part of a tool in one file. Without changes its values are taken back. */
export interface Task extends Pick<FileChanges, 'file' | 'format' | 'hasLock'> {
  readonly tool: string;
  readonly part: string;
  readonly changes: readonly Change[];
  readonly whenChanged?: WhenChanged;
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

/** The plans of tasks, and the record once they are carried out. */
export interface Rehearsal {
  readonly plans: readonly PlannedFile[];
  readonly data: RecordData;
}

/** Works out the changes of all tasks, one after another, without writing. Throws a CliError if one is not possible. */
export async function rehearsed(tasks: readonly Task[], start: RecordData): Promise<Rehearsal> {
  const texts = new Map<string, string | undefined>();
  const plans: PlannedFile[] = [];
  let data = start;
  for (const task of tasks) {
    const plan = await planned(task, data, texts);
    texts.set(task.file, plan.after);
    data = finished(data, plan, madeWith(data, plan));
    plans.push(plan);
  }
  return { plans, data };
}

/** Works out the change of one file. `texts` has the texts of files that earlier tasks would change. */
async function planned(task: Task, data: RecordData, texts: ReadonlyMap<string, string | undefined>): Promise<PlannedFile> {
  const read = await readConfig(task.file);
  const file = texts.has(task.file) ? { ...read, text: texts.get(task.file) } : read;
  const earlier = entryOf(data, task);
  const editor = await editorOf(task.format);
  const text = file.text ?? '';
  inFile(task.file, () => editor.parse(text));
  const result: PlannedText =
    task.changes.length > 0
      ? plannedChanges(task.file, editor, text, task.changes, earlier)
      : takenBack(task.file, editor, text, earlier?.edits ?? [], {
          whenChanged: task.whenChanged ?? 'leave',
          isComplete: earlier?.state !== 'writing',
        });
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
  if (file.text !== plan.after) await checkWritable(file);
  return plan;
}

/** Writes the tasks, all or none: if a file fails, those before it are restored. Each file is written once, with the changes of all its tasks. */
export async function apply(record: CodingRecord, tasks: readonly Task[], signal: AbortSignal): Promise<readonly PlannedFile[]> {
  return record.change(async (start, save) => {
    // All tasks are rehearsed before the first write, so that bad input leaves every file as it is.
    await rehearsed(tasks, start);
    let data = start;
    const done: WrittenFile[] = [];
    try {
      for (const file of new Set(tasks.map((task) => task.file))) {
        const own = tasks.filter((task) => task.file === file);
        const { plans, data: next } = await written(own, data, signal, save);
        done.push(wholeOf(plans));
        data = next;
        await save(data);
      }
      return done.flatMap(({ plans }) => plans);
    } catch (error) {
      await save(await restored(done.reverse(), start, data));
      throw error;
    }
  });
}

/** The change of one file by all its tasks. */
interface WrittenFile {
  readonly plans: readonly PlannedFile[];
  readonly file: ConfigFile;
  readonly after: string | undefined;
}

function wholeOf(plans: readonly PlannedFile[]): WrittenFile {
  const [first, last] = [plans[0], plans.at(-1)] as [PlannedFile, PlannedFile];
  return { plans, file: first.file, after: last.after };
}

/** Attempts to write a file that other programs change at the same time. */
const attempts = 5;

/** Writes the tasks of one file. */
async function written(tasks: readonly Task[], data: RecordData, signal: AbortSignal, save: (data: RecordData) => Promise<void>): Promise<Rehearsal> {
  const { file: path } = tasks[0] as Task;
  const once = async (): Promise<Rehearsal> => {
    const rehearsal = await rehearsed(tasks, data);
    const { plans, file, after } = wholeOf(rehearsal.plans);
    if (file.text !== after) await save(plans.reduce(whilePlanned, data));
    // A killed process may have left the folders of a file that it removed.
    if (after === undefined) await removeConfig(file, madeFolders(data.made, path));
    else if (file.text !== after) await writeConfig(file, after);
    return rehearsal;
  };
  for (let attempt = 1; ; attempt++) {
    signal.throwIfAborted();
    try {
      const { target } = await readConfig(path);
      await removeLeftovers(target);
      return await (tasks.some(({ hasLock }) => hasLock === true) ? withForeignLock(target, signal, once) : once());
    } catch (error) {
      if (!(error instanceof ChangedFile)) throw error;
      if (attempt === attempts)
        throw new CliError(
          `${path} is being written by another program`,
          exitCodes.error,
          'No file was changed. End that program, then run the command again.',
        );
    }
  }
}

/** The record while a file is being written: its values are those of before, or the new ones. */
function whilePlanned(data: RecordData, plan: PlannedFile): RecordData {
  const before = entryOf(data, plan.task)?.edits ?? [];
  return withEntry({ ...data, made: madeWith(data, plan) }, entry(plan, 'writing', whileWriting(before, plan.edits)), plan.task);
}

/** Puts the texts before back. Where another program has written in between, the file and its entries stay. Returns the record that fits. */
async function restored(files: readonly WrittenFile[], start: RecordData, data: RecordData): Promise<RecordData> {
  let record = start;
  for (const { plans, file, after } of files.filter((one) => one.file.text !== one.after)) {
    const now = { ...file, text: after };
    const back = file.text === undefined ? removeConfig(now, madeFolders(data.made, file.path)) : writeConfig(now, file.text);
    const isBack = await back.then(
      () => true,
      () => false,
    );
    if (!isBack) for (const { task } of plans) record = withEntry({ ...record, made: data.made }, entryOf(data, task), task);
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
  const { tool, part, file, format, hasLock, facts } = task;
  const { account, root, keyMode, version } = facts;
  return {
    tool,
    part,
    file,
    format,
    ...(hasLock === true && { hasLock }),
    state,
    account,
    root,
    keyMode,
    version,
    time: new Date().toISOString(),
    edits,
  };
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
