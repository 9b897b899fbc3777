// Works out the changes of a command without writing. A large file takes seconds, so the result is kept until the file or its record changes.
import { isDeepStrictEqual } from 'node:util';
import { fixedReason } from '../../store/in-place.ts';
import { Draft } from './edits/draft.ts';
import { type DocumentFormat, pathKey } from './edits/edit.ts';
import { reversalOf, reversed } from './edits/reversal.ts';
import { entryOf, withPart } from './entries.ts';
import { modeUpdate } from './file-mode.ts';
import { checkWritable, readConfig } from './files/read.ts';
import { formatNamed, inFile } from './formats.ts';
import type { OwnValue } from './masked.ts';
import { setChanges, takeBack } from './part-edits.ts';
import { type FileReversal, hashOf, isOwn, type RecordData, type RecordEntry } from './record.ts';
import type { FileUpdate, PartTask, PartUpdate } from './task.ts';
import type { FileFormat } from './tool.ts';

/** The inputs from which the update of a file is worked out. */
interface Basis {
  readonly text: string | undefined;
  readonly entries: readonly RecordEntry[];
  readonly reversals: readonly FileReversal[];
  readonly isMade: boolean;
}

interface Rehearsed extends Pick<FileUpdate, 'after' | 'parts' | 'reversal' | 'own'> {
  readonly basis: Basis;
  /** Text of a file without values that cannot be removed. */
  readonly emptied: string;
  /** A value with a key is in the file, or was left in it. */
  readonly hasKey: boolean;
}

export class Rehearsal {
  /** Tasks by their file, in the order of the files. */
  readonly #tasks = new Map<string, readonly PartTask[]>();
  readonly #latest = new Map<string, Rehearsed>();

  constructor(tasks: readonly PartTask[]) {
    for (const task of tasks) this.#tasks.set(task.file, [...this.tasksOf(task.file), task]);
  }

  get files(): readonly string[] {
    return [...this.#tasks.keys()];
  }

  tasksOf(path: string): readonly PartTask[] {
    return this.#tasks.get(path) ?? [];
  }

  /** The changes of all files. Throws a CliError if one is not possible. */
  async all(data: RecordData): Promise<readonly FileUpdate[]> {
    const updates: FileUpdate[] = [];
    for (const path of this.files) updates.push(await this.update(path, data));
    return updates;
  }

  /** The change of a file by all its tasks. It is worked out again only if the file or its record has changed since. */
  async update(path: string, data: RecordData): Promise<FileUpdate> {
    const tasks = this.tasksOf(path);
    const file = await readConfig(path, data.rescues);
    const basis: Basis = {
      text: file.text,
      entries: data.entries.filter((entry) => entry.file === path),
      reversals: (data.reversals ?? []).filter((one) => one.file === path),
      isMade: data.made.some((made) => made.file === path),
    };
    let latest = this.#latest.get(path);
    if (!latest || !isDeepStrictEqual(latest.basis, basis)) {
      latest = outcomeOf(path, tasks, await formatNamed(formatOf(tasks)), basis);
      this.#latest.set(path, latest);
    }
    const { parts, reversal, own, hasKey, emptied } = latest;
    const isFixed = latest.after === undefined && file.text !== undefined && (await fixedReason(file.target)) !== undefined;
    const after = isFixed ? emptied : latest.after;
    if (file.text !== after || file.isCut) await checkWritable(file);
    const known = data.narrowed.find((narrowed) => narrowed.file === path);
    return { file, after, parts, reversal, own, ...modeUpdate(file, hasKey, known) };
  }
}

function outcomeOf(path: string, tasks: readonly PartTask[], format: DocumentFormat, basis: Basis): Rehearsed {
  const parts: PartUpdate[] = [];
  let data: RecordData = { entries: basis.entries, made: [], narrowed: [] };
  let hasKey = false;
  const start = basis.text ?? '';
  let earlier: string | undefined;
  const text = inFile(path, () => {
    const draft = new Draft(format, start);
    const isUntouched = basis.entries.every(({ edits }) => edits.every((edit) => !isOwn(edit, draft.find(edit.path))));
    earlier = reversed(start, basis.reversals) ?? (isUntouched ? start : undefined);
    for (const task of tasks) {
      const entry = entryOf(data, task);
      const { edits, changed, rivals } =
        task.changes.length > 0
          ? setChanges(draft, task, entry)
          : takeBack(draft, entry?.edits ?? [], { whenChanged: task.whenChanged ?? 'leave', isComplete: entry?.state !== 'writing' });
      const kept = new Set(edits.map((edit) => pathKey(edit.path)));
      const part = { task, edits, changed, rivals, removed: entry?.edits.filter((edit) => !kept.has(pathKey(edit.path))) ?? [] };
      data = withPart(data, part);
      parts.push(part);
      hasKey ||= entry?.edits.some((edit) => edit.hasKey && changed.some((path) => pathKey(path) === pathKey(edit.path))) === true;
    }
    return draft.finish(data.entries.length === 0 ? earlier : undefined);
  });
  const isUnmade = basis.text === undefined && text === '';
  const isGone = basis.isMade && data.entries.length === 0 && isEmpty(text, formatOf(tasks));
  hasKey ||= data.entries.some(({ edits }) => edits.some((edit) => edit.hasKey));
  const own: OwnValue[] = [...basis.entries, ...data.entries].flatMap(({ edits }) => edits);
  for (const { changes } of tasks)
    for (const { path, value, hasKey } of changes) own.push({ path, hashes: [hashOf(value)], ...(hasKey && { hasKey }) });
  const reversal = earlier === undefined || earlier === text ? undefined : reversalOf(text, earlier);
  const emptied = text.trim() === '' && formatOf(tasks).startsWith('json') ? '{}\n' : text;
  return { basis, parts, reversal, own, hasKey, emptied, after: isUnmade || isGone ? undefined : text };
}

function formatOf([task]: readonly PartTask[]): FileFormat {
  return (task as PartTask).format;
}

/** True for a text without a value and without a comment. */
function isEmpty(text: string, format: FileFormat): boolean {
  return format === 'json' || format === 'jsonc' ? /^\s*(?:\{\s*\})?\s*$/.test(text) : text.trim() === '';
}
