import { intersect } from './intersect.ts';
import { isObject, type JsonSchema, type Subschema } from './json-schema.ts';
import type { Pass } from './pass.ts';
import { settle } from './settle.ts';
import { ANY, admittedTypes, declaredTypes, NULL, typeKeyword } from './types.ts';
import { union } from './union.ts';

interface Candidate {
  readonly branch: Subschema;
  readonly index: number;
  readonly isNull: boolean;
}

/** `base` and one of the branches of its `anyOf` or `oneOf`, as one schema; the branches are normalized. */
export function collapse(pass: Pass, base: Subschema, keyword: 'anyOf' | 'oneOf', branches: readonly Subschema[]): Subschema {
  if (branches.length === 0) {
    pass.note(keyword, 'dropped', false, 'has no branches');
    return base;
  }
  const types = isObject(base) ? declaredTypes(base) : ANY;
  const possible: Candidate[] = [];
  branches.forEach((original, index) => {
    const branch = restrict(pass, original, types);
    // A branch is a null branch by itself, not because the types around it leave nothing else.
    if (branch !== undefined) possible.push({ branch, index, isNull: isObject(original) && admittedTypes(original) === NULL });
    else pass.note(keyword, 'branch-dropped', false, 'nothing can match this branch', `${pass.pointer}/${keyword}/${index}`);
  });
  if (possible.length === 0) {
    pass.note(keyword, 'widened', true, 'no branch fits the rest of the schema: the rest is kept');
    return isObject(base) ? pass.markImpossible(pass.derive(base, {})) : false;
  }
  const proper = possible.filter(({ isNull }) => !isNull);
  const used = proper.length === 0 ? possible : proper;
  const stillNull = proper.some(({ branch }) => !isObject(branch) || (admittedTypes(branch) & NULL) !== 0);
  for (const { index, isNull } of possible) {
    if (proper.length === 0 || !isNull) continue;
    const note = stillNull ? 'another branch accepts null' : 'null is no longer among the values';
    pass.note(keyword, 'null-collapsed', keyword === 'oneOf' || !stillNull, note, `${pass.pointer}/${keyword}/${index}`);
  }
  if (used.length === 1) pass.note(keyword, 'inlined', false, 'one branch stands for the union');
  else pass.note(keyword, 'merged', false, `${used.length} branches in one schema`);
  return intersect(
    pass,
    base,
    union(
      pass,
      used.map(({ branch }) => branch),
      keyword === 'oneOf',
    ),
  );
}

/** The branch for values of these types; `undefined` when it allows none. A branch without a type takes the one around it. */
function restrict(pass: Pass, branch: Subschema, types: number): Subschema | undefined {
  if (pass.isImpossible(branch)) return undefined;
  const schema: JsonSchema = isObject(branch) ? branch : {};
  if ((admittedTypes(schema) & types) === 0) return undefined;
  const declared = declaredTypes(schema);
  const both = declared & types;
  if (both === declared) return branch;
  const type = typeKeyword(both);
  return type === undefined ? branch : pass.derive(settle(schema), { type });
}
