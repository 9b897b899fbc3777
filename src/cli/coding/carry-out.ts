// The steps of every command that changes files of tools: preview, consent, writing.
import { storeFolder } from '../accounts/folder.ts';
import type { Cli } from '../cli.ts';
import { cleaned, paintedDiff } from '../terminal/terminal.ts';
import { apply } from './apply.ts';
import { pathText } from './edits/edit.ts';
import { readersText } from './file-mode.ts';
import type { ConfigFile } from './files/read.ts';
import { previewOf } from './preview.ts';
import { CodingRecord } from './record.ts';
import { Rehearsal } from './rehearsal.ts';
import type { FoundRival } from './rivals.ts';
import type { FileUpdate, PartTask, PartUpdate } from './task.ts';

export function codingRecord(cli: Cli): CodingRecord {
  return new CodingRecord(storeFolder(cli.screen.io.env), cli.signal);
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

/** Shows the changes, asks, and writes them, all or none. With `--dry-run` it only returns them, with a diff at the last part of each file. */
export async function carryOut(cli: Cli, tasks: readonly PartTask[], question: string, secrets: readonly string[]): Promise<readonly FileView[]> {
  const record = codingRecord(cli);
  const rehearsal = new Rehearsal(tasks);
  const updates = await rehearsal.all(await record.read());
  for (const { file, after, parts } of updates) {
    tellPlace(cli, file, after);
    tellPlainKey(cli, file, parts);
    for (const { task, rivals } of parts) for (const rival of rivals) tellRival(cli, task.tool, file, rival);
  }
  if (cli.isDryRun) {
    const views = updates.map(async (update) => {
      const diff = await diffOf(update, secrets);
      return viewsOf(update).map((view, at, all) => ({ ...view, diff: at === all.length - 1 ? diff : '' }));
    });
    return (await Promise.all(views)).flat();
  }
  const changed = updates.filter(({ file, after }) => file.text !== after);
  if (changed.length > 0 && cli.values.yes !== true) {
    for (const update of changed) cli.screen.io.stderr.write(`${paintedDiff(cleaned(await diffOf(update, secrets)), cli.screen.paint)}\n`);
    await cli.screen.confirm(question);
  }
  return (await apply(record, rehearsal, cli.signal)).flatMap(viewsOf);
}

/** A setting that comes before the wiring: it stays, or has another value until `unload`. */
function tellRival({ screen }: Cli, tool: string, { path: file }: ConfigFile, { name, value, effect }: FoundRival): void {
  if (value === undefined) screen.warn(`${tool}: ${name} is set in ${file}, and ${effect}`);
  else screen.note(`${tool}: ${name} in ${file} gets another value until \`unload\`, because ${effect}`);
}

/** Notes for a file that is not replaced at once. */
function tellPlace({ screen }: Cli, { path, text, inPlace, isCut }: ConfigFile, after: string | undefined): void {
  if (isCut) screen.note(`${path} was cut by an interrupted write. It gets its earlier text back first.`);
  if (inPlace !== undefined && text !== after && after !== undefined)
    screen.note(`${path} is written in place: ${inPlace}. If the write is interrupted, run the command again: the record has the earlier text.`);
}

/** A key that goes into a file is named above the question. */
function tellPlainKey({ screen }: Cli, { path }: ConfigFile, parts: readonly PartUpdate[]): void {
  const { task } = parts.find(({ edits }) => edits.some(({ hasKey }) => hasKey)) ?? {};
  if (!task) return;
  const undo = task.part === 'load' ? `coding unload ${task.tool}` : `coding mcp remove ${task.tool}`;
  screen.warn(`the key is in plain text in ${path}, ${readersText}; \`modelsvc ${undo}\` removes it`);
}

async function diffOf({ file: { path, text: before }, after, own, parts }: FileUpdate, secrets: readonly string[]): Promise<string> {
  const format = parts[0]?.task.format;
  return before === after || format === undefined ? '' : previewOf({ path, format, before, after, own }, secrets);
}

function viewsOf({ parts }: FileUpdate): FileView[] {
  return parts.map(({ task, edits, removed, changed }) => {
    const { tool, part, file } = task;
    const values = task.changes.length > 0 ? edits : removed;
    return { tool, part, file, values: values.map(({ path }) => pathText(path)), left: changed.map(pathText) };
  });
}

/** `1 value`, `2 values`. */
export function valueCount(count: number): string {
  return `${count} ${count === 1 ? 'value' : 'values'}`;
}

/** The diffs of a dry run as text. */
export function diffText({ screen }: Cli, files: readonly FileView[]): string {
  const diffs = files.map(({ diff = '' }) => diff).filter((diff) => diff !== '');
  return diffs.length > 0 ? paintedDiff(screen.clean(diffs.join('\n')), screen.paint) : 'No file would change.';
}
