// Works out the edits of one part of a tool in a file, and takes them back.
import type { Draft } from './edits/draft.ts';
import { type Path, pathKey, type Undo } from './edits/edit.ts';
import { hashOf, isOwn, type RecordEntry, type RecordedEdit } from './record.ts';
import { type FoundRival, isNeutral } from './rivals.ts';
import type { Change } from './tool.ts';

export interface PartEdits {
  /** All values of the part that are in the text now. */
  readonly edits: readonly RecordedEdit[];
  /** Values that another program has changed since; they are left alone. */
  readonly changed: readonly Path[];
  /** Settings that come before the changes. Those with a value are replaced by it. */
  readonly rivals: readonly FoundRival[];
}

/** Sets the changes in a draft. Values of an earlier `load` keep the record of their original; those that are no longer wanted are taken back. */
export function setChanges(
  draft: Draft,
  {
    changes: wiring,
    rivals = () => [],
  }: { readonly changes: readonly Change[]; readonly rivals?: ((content: unknown) => readonly FoundRival[]) | undefined },
  earlier: RecordEntry | undefined,
): PartEdits {
  const wanted = new Set(wiring.map(({ path }) => pathKey(path)));
  const stale = earlier?.edits.filter((edit) => !wanted.has(pathKey(edit.path))) ?? [];
  const { edits: left, changed } = takeBack(draft, stale, { whenChanged: 'leave', isComplete: earlier?.state !== 'writing' });
  // Values that took the place of a rival are taken back by now, so the rivals are the user's.
  const content = draft.find([]);
  const found = rivals(content);
  const named = found.filter((one) => !isNeutral(content, one));
  const changes = [...wiring, ...found.flatMap(({ path, value }) => (value === undefined ? [] : [{ path, value }]))];
  const keys = new Set(changes.map(({ path }) => pathKey(path)));
  const edits: RecordedEdit[] = left.filter(({ path }) => !keys.has(pathKey(path)));
  for (const { path, value, isStamp, hasKey, isDefault } of changes as readonly Change[]) {
    const known = earlier?.edits.find((edit) => pathKey(edit.path) === pathKey(path));
    const current = draft.find(path);
    const isOurs = known !== undefined && isOwn(known, current);
    // If the user has set the same value, it stays the user's.
    if (!isOurs && (hashOf(current) === hashOf(value) || (isDefault && current !== undefined))) continue;
    const undo = draft.set(path, value);
    const { hasKey: _, ...base }: Undo & Pick<RecordedEdit, 'hasKey'> = isOurs ? known : undo;
    edits.push({ ...base, hashes: [hashOf(value)], ...(isStamp && { isStamp }), ...(hasKey && { hasKey }) });
  }
  const isLeft = (path: Path): boolean => !keys.has(pathKey(path));
  return { edits: inOrder(edits, earlier?.edits ?? []), changed: changed.filter(isLeft), rivals: named };
}

/** The fate of a value that another program has changed. `leave`: it stays. `restore`: it is taken back too. `forget`: it stays without a record. */
export type WhenChanged = 'leave' | 'restore' | 'forget';

export interface TakeBack {
  readonly whenChanged: WhenChanged;
  /** False if a killed process may have left the file as it was. */
  readonly isComplete: boolean;
}

/** Takes edits back in a draft, the last first. Returns those that were left alone: `changed`, and unless they are forgotten, `edits`. */
export function takeBack(draft: Draft, edits: readonly RecordedEdit[], { whenChanged, isComplete }: TakeBack): PartEdits {
  const left: RecordedEdit[] = [];
  let waiting = [...edits];
  for (let edit = waiting.pop(); edit; edit = waiting.pop()) {
    const current = draft.find(edit.path);
    if (isOwn(edit, current) || (whenChanged === 'restore' && current !== undefined)) {
      draft.undo(edit);
      waiting = inherited(waiting, [edit]);
    } else if (current !== undefined && isComplete) left.unshift(edit);
  }
  return { edits: whenChanged === 'forget' ? [] : left, changed: left.map(({ path }) => path), rivals: [] };
}

/** Edits in the order in which they were made, so that they can be taken back in reverse. */
function inOrder(edits: readonly RecordedEdit[], earlier: readonly RecordedEdit[]): RecordedEdit[] {
  const known = earlier.flatMap(({ path }) => edits.filter((edit) => pathKey(edit.path) === pathKey(path)));
  return [...known, ...edits.filter((edit) => !known.includes(edit))];
}

/** Edits while a file is being written, with the hashes of the earlier and of the new values. */
export function whileWriting(earlier: readonly RecordedEdit[], next: readonly RecordedEdit[]): RecordedEdit[] {
  const merged = new Map(earlier.map((edit) => [pathKey(edit.path), edit]));
  for (const edit of next) {
    const old = merged.get(pathKey(edit.path));
    merged.set(pathKey(edit.path), old ? { ...edit, hashes: [...new Set([...edit.hashes, ...old.hashes])] } : edit);
  }
  return [...merged.values()];
}

/**
 * Passes a container that a removed edit had made on to an edit inside it, so that the last of them removes the container. Without an heir the
 * container is gone already, or contains only values of others.
 */
export function inherited(edits: readonly RecordedEdit[], removed: readonly RecordedEdit[]): RecordedEdit[] {
  let heirs = [...edits];
  for (const { path, before, made = 0, blank } of removed) {
    if (before !== undefined) continue;
    const container = path.slice(0, path.length - made);
    const levelsOf = (edit: RecordedEdit): number => edit.path.length - container.length;
    const inside = heirs.filter((edit) => edit.before === undefined && isBelow(edit.path, container) && (edit.made ?? 0) < levelsOf(edit));
    const heir = nearest(inside, path);
    if (heir) heirs = heirs.map((edit) => (edit === heir ? { ...edit, made: levelsOf(edit), ...(blank !== undefined && { blank }) } : edit));
  }
  return heirs;
}

/** The edit that shares most containers with a path: it is inside the innermost of them, and so inside those above. */
function nearest(edits: readonly RecordedEdit[], path: Path): RecordedEdit | undefined {
  const shared = (edit: RecordedEdit): number => edit.path.findIndex((step, at) => pathKey([step]) !== pathKey(path.slice(at, at + 1)));
  return edits.reduce<RecordedEdit | undefined>((best, edit) => (best && shared(best) >= shared(edit) ? best : edit), undefined);
}

function isBelow(path: Path, container: Path): boolean {
  return path.length > container.length && pathKey(path.slice(0, container.length)) === pathKey(container);
}
