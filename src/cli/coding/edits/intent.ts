// The documents that edits are meant to give. Editors compare their results with them.
import { hasFields, type Leaf, type Path } from './edit.ts';

/** A copy of a document with one leaf set. */
export function withLeaf(document: unknown, path: Path, value: Leaf): unknown {
  return withValue(document, path, value);
}

export function withValue(document: unknown, path: Path, value: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return value;
  if (typeof step === 'string') {
    const object = typeof document === 'object' && document !== null ? (document as Readonly<Record<string, unknown>>) : {};
    return { ...object, [step]: withValue(Object.hasOwn(object, step) ? object[step] : undefined, rest, value) };
  }
  const list: readonly unknown[] = Array.isArray(document) ? document : [];
  const at = list.findIndex((item) => hasFields(item, step));
  if (at < 0) return [...list, withValue({ ...step }, rest, value)];
  return list.map((item, index) => (index === at ? withValue(item, rest, value) : item));
}

/** A copy of a document without the entry at a path that exists. */
export function withoutEntry(document: unknown, path: Path): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return document;
  if (typeof step === 'string') {
    const { [step]: value, ...others } = document as Readonly<Record<string, unknown>>;
    return rest.length === 0 ? others : { ...others, [step]: withoutEntry(value, rest) };
  }
  const list = document as readonly unknown[];
  const at = list.findIndex((item) => hasFields(item, step));
  return list.flatMap((item, index) => (index !== at ? [item] : rest.length === 0 ? [] : [withoutEntry(item, rest)]));
}
