// The record with the entries of planned changes.
import { withMade, withoutMade } from './made.ts';
import { inherited, whileWriting } from './plan-file.ts';
import type { MadeFile, NarrowedFile, RecordData, RecordEntry, RecordedEdit } from './record.ts';
import type { PartTask, PlannedFile, PlannedPart } from './task.ts';

export function entryOf(data: RecordData, { tool, part, file }: Pick<PartTask, 'tool' | 'part' | 'file'>): RecordEntry | undefined {
  return data.entries.find((one) => one.tool === tool && one.part === part && one.file === file);
}

/** With another entry for a task, or without one. */
export function withEntry(data: RecordData, next: RecordEntry | undefined, task: PartTask): RecordData {
  const earlier = entryOf(data, task);
  const others = data.entries.filter((one) => one !== earlier);
  return { ...data, entries: next ? [...others, next] : others };
}

/** The record while a file is being written: its values are those of before, or the new ones. */
export function whilePlanned(start: RecordData, plan: PlannedFile): RecordData {
  return plan.parts.reduce(
    (data, part) => {
      const before = entryOf(data, part.task)?.edits ?? [];
      return withEntry(data, entry(part, 'writing', whileWriting(before, part.edits)), part.task);
    },
    { ...start, made: madeWith(start, plan), narrowed: plan.narrowed ? withNarrowed(start, plan) : start.narrowed },
  );
}

/** The record once a file is written. */
export function recorded(start: RecordData, plan: PlannedFile): RecordData {
  const { entries } = plan.parts.reduce(withPart, start);
  const { path } = plan.file;
  const isUsed = entries.some(({ file }) => file === path);
  const made = madeWith(start, plan);
  return { entries, made: isUsed ? made : withoutMade(made, path), narrowed: withNarrowed(start, isUsed ? plan : { ...plan, narrowed: undefined }) };
}

/** The record once one part of a file is written. */
export function withPart(data: RecordData, part: PlannedPart): RecordData {
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

function madeWith({ made }: RecordData, { file, after }: PlannedFile): readonly MadeFile[] {
  return after === undefined ? made : withMade(made, file);
}

function withNarrowed({ narrowed }: RecordData, { file, narrowed: own }: PlannedFile): readonly NarrowedFile[] {
  return [...narrowed.filter((one) => one.file !== file.path), ...(own ? [own] : [])];
}

function entry({ task }: PlannedPart, state: RecordEntry['state'], edits: readonly RecordedEdit[]): RecordEntry {
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
