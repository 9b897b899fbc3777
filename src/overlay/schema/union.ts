import { isTrivial } from './intersect.ts';
import { type JsonSchema, type MutableSchema, put, type Subschema } from './json-schema.ts';
import { ANNOTATIONS } from './keywords.ts';
import type { Pass } from './pass.ts';
import { settle } from './settle.ts';
import { boundedText, joinText, schemaText } from './text.ts';
import { admittedTypes, ANY, ARRAY, BOOLEAN, declaredTypes, NULL, NUMBER, OBJECT, STRING, typeKeyword, typeOfValue } from './types.ts';
import { uniteArrays } from './union-array.ts';
import { type Branches, uniteObjects } from './union-object.ts';
import { KEYWORDS_OF, uniteNumbers, uniteStrings } from './union-scalar.ts';
import { equalData, joinValues, valuesOf } from './values.ts';

/**
 * A schema for what any of the branches accepts, never for less: per type, what the branches with that type agree on. None may
 * contain combinators or references. `exclusive` is for `oneOf`, where what several branches accept is refused.
 */
export function union(pass: Pass, branches: readonly Subschema[], exclusive: boolean): Subschema {
  const possible = branches.filter((branch): branch is JsonSchema | true => branch !== false && !pass.isImpossible(branch));
  const objects = possible.map((branch): JsonSchema => (branch === true ? {} : branch));
  const [first] = objects;
  if (first === undefined) return branches[0] ?? true;
  if (!exclusive && objects.every((branch) => branch === first)) return possible[0] ?? first;
  if (objects.length === 1) return possible[0] ?? first;
  return pass.once(exclusive ? 'oneOf' : 'union', objects, () => merge(pass, objects, exclusive));
}

function merge(pass: Pass, originals: readonly JsonSchema[], exclusive: boolean): JsonSchema {
  const branches = originals.map(settle);
  const size = branches.reduce((sum, branch) => sum + Object.keys(branch).length + (valuesOf(branch)?.length ?? 0), 0);
  const types = branches.reduce((all, branch) => all | admittedTypes(branch), 0);
  if (!pass.spend(size)) {
    pass.note('anyOf', 'widened', true, 'too much to merge: only the types are kept');
    return withType({}, types);
  }
  const merged = commonKeywords(branches);
  const values = finiteValues(branches);
  if (values !== undefined) {
    const exact = branches.every(onlyValues) && !(exclusive && overlapping(branches.map((branch) => allValues(branch) ?? [])));
    // Without a `type` anywhere the values still have one, and models heed it.
    withType(merged, branches.some((branch) => declaredTypes(branch) === ANY) ? values.reduce<number>((all, value) => all | typeOfValue(value), 0) : types);
    merged['enum'] = values;
    return addText(pass, merged, originals, !exact, originals.map(schemaText));
  }
  withType(merged, types);
  const withObjects = branches.filter((branch) => admittedTypes(branch) & OBJECT);
  const objects: Branches = {
    unite: (schemas) => union(pass, schemas, false),
    labels: [],
  };
  uniteStrings(merged, admitting(branches, STRING));
  uniteNumbers(merged, admitting(branches, NUMBER));
  uniteArrays(merged, admitting(branches, ARRAY), objects.unite);
  const labels = uniteObjects(merged, withObjects, objects);
  const widened = lossyTypes(branches, types, exclusive);
  return addText(
    pass,
    merged,
    originals,
    (widened & ~OBJECT) !== 0,
    branches.map((branch, index) => labels.get(branch) ?? schemaText(originals[index] ?? branch)),
    labels.get(merged),
    widened !== 0,
  );
}
