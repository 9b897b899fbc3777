// Preview, consent, writing: the way of every command that changes files of tools.
import { storeFolder } from '../accounts/folder.ts';
import type { Cli } from '../cli.ts';
import { apply, hasChange, type PlannedFile, planned, type Task } from './apply.ts';
import { pathText } from './edits/edit.ts';
import { previewOf } from './preview.ts';
import { CodingRecord } from './record.ts';

export function codingRecord(cli: Cli): CodingRecord {
  return new CodingRecord(storeFolder(cli.io.env), cli.signal);
}

/** A file in the result of a command. */
export interface FileView {
  readonly tool: string;
  readonly part: string;
  readonly file: string;
  /** Paths of the values that are set, or were restored. */
  readonly values: readonly string[];
  /** Values that were left alone, because another program has changed them since. */
  readonly left: readonly string[];
  readonly diff?: string;
}

export interface Carried {
  readonly files: readonly FileView[];
  readonly isWritten: boolean;
}

/** Shows the changes, asks, and writes them. With `--dry-run` it only returns them, with diffs. */
export async function carryOut(cli: Cli, tasks: readonly Task[], question: string, secrets: readonly string[]): Promise<Carried> {
  const record = codingRecord(cli);
  const data = await record.read();
  const plans: PlannedFile[] = [];
  for (const task of tasks) plans.push(await planned(task, data));
  const changes = plans.filter(hasChange);
  const diffOf = ({ task, file, after }: PlannedFile): string => previewOf(task.file, file.text, after, secrets);
  if (cli.isDryRun) return { files: plans.map((plan) => ({ ...viewOf(plan), diff: hasChange(plan) ? diffOf(plan) : '' })), isWritten: false };
  if (changes.length > 0 && cli.values.yes !== true) {
    for (const plan of changes) cli.output.note(diffOf(plan));
    await cli.confirm(question);
  }
  const done = await apply(record, tasks, cli.signal);
  return { files: done.map(viewOf), isWritten: true };
}

function viewOf({ task, edits, removed, changed }: PlannedFile): FileView {
  const { tool, part, file } = task;
  const values = task.changes.length > 0 ? edits : removed;
  return { tool, part, file, values: values.map(({ path }) => pathText(path)), left: changed.map(pathText) };
}

/** The diffs of a dry run as text. */
export function diffText(files: readonly FileView[]): string {
  const diffs = files.map(({ diff = '' }) => diff).filter((diff) => diff !== '');
  return diffs.length > 0 ? diffs.join('\n') : 'Nothing would change.';
}
