// The record with the entries of updates.
import { bytesFor } from './files/read.ts';
import { withMade, withoutMade } from './made-files.ts';
import { inherited, whileWriting } from './part-edits.ts';
import type { FileReversal, MadeFile, NarrowedFile, RecordData, RecordEntry, RecordedEdit, Rescue } from './record.ts';
import type { FileUpdate, PartTask, PartUpdate } from './task.ts';

export function entryOf(data: RecordData, { tool, part, file }: Pick<PartTask, 'tool' | 'part' | 'file'>): RecordEntry | undefined {
  return data.entries.find((one) => one.tool === tool && one.part === part && one.file === file);
}

/** The record with `next` as the entry of a task, or without an entry for it. */
export function withEntry(data: RecordData, next: RecordEntry | undefined, task: PartTask): RecordData {
  const earlier = entryOf(data, task);
  const others = data.entries.filter((one) => one !== earlier);
  return { ...data, entries: next ? [...others, next] : others };
}

/** The record while a file is being written, when each value may be the earlier or the new one. */
export function duringUpdate(start: RecordData, update: FileUpdate): RecordData {
  return update.parts.reduce<RecordData>(
    (data, part) => {
      const before = entryOf(data, part.task)?.edits ?? [];
      return withEntry(data, entry(part, 'writing', whileWriting(before, part.edits)), part.task);
    },
    {
      ...start,
      made: madeWith(start, update),
      narrowed: update.narrowed ? withNarrowed(start, update) : start.narrowed,
      rescues: withRescue(start, update),
      // The file has its present text or the next one.
      reversals: [...(start.reversals ?? []), ...reversalOf(update)],
    },
  );
}

/** The record once a file is written. */
export function recorded(start: RecordData, update: FileUpdate): RecordData {
  const { entries } = update.parts.reduce(withPart, start);
  const { path } = update.file;
  const isUsed = entries.some(({ file }) => file === path);
  const made = madeWith(start, update);
  return {
    entries,
    made: isUsed ? made : withoutMade(made, path),
    narrowed: withNarrowed(start, isUsed ? update : { ...update, narrowed: undefined }),
    rescues: others(start.rescues, path),
    reversals: [...others(start.reversals, path), ...(isUsed ? reversalOf(update) : [])],
  };
}

/** The record once one part of a file is written. */
export function withPart(data: RecordData, part: PartUpdate): RecordData {
  const { task, edits, removed } = part;
  const next = withEntry(data, edits.length > 0 ? entry(part, 'written', edits) : undefined, task);
  // A container that a removed edit had made now belongs to another edit in it.
  const all = next.entries.flatMap((one) => (one.file === task.file ? one.edits : []));
  const heirs = inherited(all, removed);
  return {
    ...next,
    entries: next.entries.map((one) => (one.file === task.file ? { ...one, edits: one.edits.map((edit) => heirs[all.indexOf(edit)] ?? edit) } : one)),
  };
}

function madeWith({ made }: RecordData, { file, after }: FileUpdate): readonly MadeFile[] {
  return after === undefined ? made : withMade(made, file);
}

/** The old and the new text of a file that is written in place. */
function withRescue(start: RecordData, { file, after }: FileUpdate): readonly Rescue[] {
  const rescues = others(start.rescues, file.path);
  if (file.inPlace === undefined || file.text === undefined || after === undefined) return rescues;
  return [...rescues, { file: file.path, before: bytesFor(file, file.text), after: bytesFor(file, after) }];
}

function reversalOf({ file: { path }, reversal }: FileUpdate): readonly FileReversal[] {
  return reversal ? [{ file: path, ...reversal }] : [];
}

function others<T extends { readonly file: string }>(list: readonly T[] = [], path: string): readonly T[] {
  return list.filter(({ file }) => file !== path);
}

function withNarrowed({ narrowed }: RecordData, { file, narrowed: own }: FileUpdate): readonly NarrowedFile[] {
  return [...others(narrowed, file.path), ...(own ? [own] : [])];
}

function entry({ task }: PartUpdate, state: RecordEntry['state'], edits: readonly RecordedEdit[]): RecordEntry {
  const { tool, part, file, format, hasLock, facts } = task;
  return { ...facts, tool, part, file, format, ...(hasLock === true && { hasLock }), state, time: new Date().toISOString(), edits };
}
