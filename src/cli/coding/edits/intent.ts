// The document that an edit is meant to make, to compare with the one that it made.
import { hasFields, type Leaf, type Path } from './edit.ts';

/** A copy of a document with one leaf set. */
export function withLeaf(document: unknown, path: Path, value: Leaf): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return value;
  if (typeof step === 'string') {
    const object: Readonly<Record<string, unknown>> = isObject(document) ? document : {};
    // A computed key makes an own property also of __proto__.
    return { ...object, [step]: withLeaf(Object.hasOwn(object, step) ? object[step] : undefined, rest, value) };
  }
  const list: readonly unknown[] = Array.isArray(document) ? document : [];
  const at = list.findIndex((item) => hasFields(item, step));
  return at < 0 ? [...list, withLeaf({ ...step }, rest, value)] : list.with(at, withLeaf(list[at], rest, value));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
