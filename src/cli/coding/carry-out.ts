// Preview, consent, writing: the way of every command that changes files of tools.
import { storeFolder } from '../accounts/folder.ts';
import type { Cli } from '../cli.ts';
import { cleaned, paintedDiff } from '../terminal/terminal.ts';
import { apply, type PlannedFile, rehearsed, type Task } from './apply.ts';
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

/** Shows the changes, asks, and writes them, all or none. With `--dry-run` it only returns them, with a diff at the last task of each file. */
export async function carryOut(cli: Cli, tasks: readonly Task[], question: string, secrets: readonly string[]): Promise<readonly FileView[]> {
  const record = codingRecord(cli);
  const { plans } = await rehearsed(tasks, await record.read());
  const diffs = plans.map((plan, at) => diffOf(plans, plan, at, secrets));
  if (cli.isDryRun) return plans.map((plan, at) => ({ ...viewOf(plan), diff: diffs[at] ?? '' }));
  if (diffs.some((diff) => diff !== '') && cli.values.yes !== true) {
    for (const diff of diffs) if (diff !== '') cli.io.stderr.write(`${paintedDiff(cleaned(diff), cli.output.paint)}\n`);
    await cli.confirm(question);
  }
  return (await apply(record, tasks, cli.signal)).map(viewOf);
}

/** The change of a file by all tasks, at the last of them; empty at the others. */
function diffOf(plans: readonly PlannedFile[], { task, after }: PlannedFile, at: number, secrets: readonly string[]): string {
  const same = plans.filter((one) => one.task.file === task.file);
  if (plans.findLastIndex((one) => one.task.file === task.file) !== at) return '';
  const before = same[0]?.file.text;
  return before === after ? '' : previewOf(task.file, before, after, secrets);
}

function viewOf({ task, edits, removed, changed }: PlannedFile): FileView {
  const { tool, part, file } = task;
  const values = task.changes.length > 0 ? edits : removed;
  return { tool, part, file, values: values.map(({ path }) => pathText(path)), left: changed.map(pathText) };
}

/** The diffs of a dry run as text. */
export function diffText({ output }: Cli, files: readonly FileView[]): string {
  const diffs = files.map(({ diff = '' }) => diff).filter((diff) => diff !== '');
  return diffs.length > 0 ? paintedDiff(output.clean(diffs.join('\n')), output.paint) : 'No file would change.';
}
