import { intersect } from './intersect.ts';
import { isObject, type JsonSchema, type Subschema } from './json-schema.ts';
import type { Pass } from './pass.ts';
import { ANY, admittedTypes, declaredTypes, NULL, typeKeyword } from './types.ts';
import { union } from './union.ts';

interface Candidate {
  readonly branch: Subschema;
  readonly index: number;
  readonly isNull: boolean;
}

/** Merges `base` with its `anyOf` or `oneOf` into one schema. The branches must be plain. */
export function collapse(pass: Pass, base: Subschema, keyword: 'anyOf' | 'oneOf', branches: readonly Subschema[]): Subschema {
  if (branches.length === 0) {
    pass.note(keyword, 'dropped', false, 'has no branches');
    return base;
  }
  const types = isObject(base) ? declaredTypes(base) : ANY;
  const possible: Candidate[] = [];
  branches.forEach((original, index) => {
    const branch = restrict(pass, original, types);
    // Judge a null branch by its own types: the surrounding schema may narrow other branches to null.
    if (branch !== undefined) possible.push({ branch, index, isNull: isObject(original) && admittedTypes(original) === NULL });
    else pass.note(keyword, 'branch-dropped', false, 'no value can match this branch', `${pass.pointer}/${keyword}/${index}`);
  });
  if (possible.length === 0) {
    pass.note(keyword, 'widened', true, 'every branch contradicts the rest of the schema: only the rest is kept');
    return isObject(base) ? pass.markImpossible(pass.derive(base, {})) : false;
  }
  const proper = possible.filter(({ isNull }) => !isNull);
  const used = proper.length === 0 ? possible : proper;
  const stillNull = proper.some(({ branch }) => !isObject(branch) || (admittedTypes(branch) & NULL) !== 0);
  const nulls = proper.length === 0 ? [] : possible.filter(({ isNull }) => isNull);
  for (const { index } of nulls) {
    const note = stillNull ? 'another branch accepts null' : 'null is no longer accepted';
    pass.note(keyword, 'null-collapsed', keyword === 'oneOf' || !stillNull, note, `${pass.pointer}/${keyword}/${index}`);
  }
  if (used.length === 1) pass.note(keyword, 'inlined', false, 'the only remaining branch replaces the union');
  else pass.note(keyword, 'merged', false, `merged ${used.length} branches into one schema`);
  const branch = union(
    pass,
    used.map((one) => one.branch),
    keyword === 'oneOf',
  );
  return intersect(pass, base, nulls.length > 0 && !stillNull ? pass.withoutNull(branch) : branch);
}

/** The branch limited to these types, or `undefined` if it accepts none of them. A branch without a type inherits the types of its parent. */
function restrict(pass: Pass, branch: Subschema, types: number): Subschema | undefined {
  if (pass.isImpossible(branch)) return undefined;
  const schema: JsonSchema = isObject(branch) ? branch : {};
  if ((admittedTypes(schema) & types) === 0) return undefined;
  const declared = declaredTypes(schema);
  const both = declared & types;
  if (both === declared) return branch;
  const type = typeKeyword(both);
  return type === undefined ? branch : pass.derive(schema, { type, nullable: undefined });
}
