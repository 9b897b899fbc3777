// Settings of the same file that come before the values that `load` writes: another model, provider or key.
import { isFields } from '../files/json.ts';
import type { Leaf, Path } from './edits/edit.ts';
import type { KeyMode } from './key-source.ts';

/** A setting that comes before the wiring. */
export interface Winner {
  readonly path: Path;
  /** The value that `load` sets in its place, until `unload`. Without one, `load` and `doctor` name the setting. */
  readonly value?: Leaf;
  /** The consequence, as a clause: `it chooses the model`. */
  readonly effect: string;
  /** Only a part of the tool is concerned, as its user may intend. */
  readonly isPartial?: boolean;
}

export interface WinnerFacts {
  readonly file: string;
  readonly root: string;
  readonly model: string;
  readonly smallModel: string;
  readonly keyMode: KeyMode;
}

/** The winners in the content of a file. It may have any form. */
export type Winners = (content: unknown, facts: WinnerFacts) => readonly Winner[];

export const sentHeaders = 'these headers, and a key in them, go to the service';

/** The value at a path of keys; undefined if it is absent or null. */
export function valueAt(content: unknown, ...keys: readonly string[]): unknown {
  let value = content;
  for (const key of keys) value = isFields(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  return value ?? undefined;
}

export function fieldsAt(content: unknown, ...keys: readonly string[]): Readonly<Record<string, unknown>> {
  const value = valueAt(content, ...keys);
  return isFields(value) ? value : {};
}

export function listAt(content: unknown, ...keys: readonly string[]): readonly unknown[] {
  const value = valueAt(content, ...keys);
  return Array.isArray(value) ? value : [];
}

/** A winner for each of these paths that has a value. */
export function present(content: unknown, paths: readonly (readonly string[])[], winner: Omit<Winner, 'path'>): Winner[] {
  return paths.filter((path) => valueAt(content, ...path) !== undefined).map((path) => ({ path, ...winner }));
}

/** Winners for the settings that choose a model, each with the value of the wiring. */
export function modelSettings(content: unknown, values: readonly (readonly [path: readonly string[], value: string])[]): Winner[] {
  return values.flatMap(([path, value]) => present(content, [path], { value, effect: 'it chooses another model' }));
}
