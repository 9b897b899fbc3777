import { isFields } from '../json/json-value.ts';
import {
  ANY,
  asSchema,
  BOOLEAN,
  declaredTypes,
  type JsonSchema,
  type MutableSchema,
  NULL,
  OBJECT,
  put,
  typeOfValue,
  typesOfValues,
  valuesOf,
} from '../json/schema.ts';
import { CONSTRAINTS, isConstraint, mergeable, NARROWER } from './keywords.ts';
import { ADDED, type FlatSchema, type FlatValue, isImpossible, NULL_LOST, type Pass, unionSteps } from './pass.ts';
import { branchText, type ObjectWords } from './text.ts';
import { uniteObjects } from './union-object.ts';
import { admittedTypes, equalData, joinValues, typeKeyword } from './values.ts';

/**
 * A schema that accepts every value of any branch, and possibly more. Per type, it keeps the constraints that the branches of that
 * type share. The branches must be plain. Set `exclusive` for `oneOf`, which rejects values of several branches.
 */
export function union(pass: Pass, branches: readonly FlatValue[], exclusive: boolean): FlatValue {
  const possible = branches.filter((branch) => !isImpossible(branch) && (branch === true || admittedTypes(branch as JsonSchema) !== 0));
  const [first] = possible;
  if (first === undefined) return branches[0] ?? true;
  if (possible.length === 1 || (!exclusive && possible.every((branch) => branch === first))) return first;
  const objects = possible.map((branch): FlatSchema => (isFields(branch) ? branch : {}));
  return pass.once(exclusive ? 'oneOf' : 'anyOf', objects, () => {
    const united = merge(pass, objects, exclusive);
    united[NULL_LOST] = objects.some((branch) => branch[NULL_LOST]) && (admittedTypes(united) & NULL) === 0;
    return united;
  });
}

function merge(pass: Pass, originals: readonly FlatSchema[], exclusive: boolean): FlatSchema {
  const types = originals.reduce((all, branch) => all | admittedTypes(branch), 0);
  if (!pass.spend(unionSteps(originals))) {
    pass.note('widened');
    return typeKeyword(types);
  }
  const branches = originals.map((branch) => mergeable(pass, branch));
  // If a branch accepts every value, only text remains.
  if (branches.some((branch) => !Object.keys(branch).some(isConstraint))) return uniteOpen(pass, branches, exclusive);
  const values = finiteValues(branches);
  return values === undefined ? uniteTypes(pass, branches, types, exclusive) : uniteValues(pass, branches, types, values, exclusive);
}

function uniteOpen(pass: Pass, branches: readonly JsonSchema[], exclusive: boolean): FlatSchema {
  if (exclusive) pass.note('widened');
  return described(branches, {}, {}, branchText(branches, NO_WORDS, false));
}

function uniteValues(pass: Pass, branches: readonly JsonSchema[], types: number, values: readonly unknown[], exclusive: boolean): FlatSchema {
  const listed = branches.reduce((sum, branch) => sum + (branchValues(branch)?.length ?? 0), 0);
  if (!branches.every(onlyValues) || (exclusive && listed !== values.length)) pass.note('widened');
  const type = typeKeyword(valueTypes(branches, values, types));
  return described(branches, type, { enum: values }, branchText(branches, NO_WORDS, false));
}

function uniteTypes(pass: Pass, branches: readonly JsonSchema[], types: number, exclusive: boolean): FlatSchema {
  const unite = (schemas: readonly FlatValue[]): FlatValue => union(pass, schemas, false);
  const constraints: MutableSchema = {};
  let words: ObjectWords = NO_WORDS;
  for (const [types, keywords] of CONSTRAINTS) {
    const ofType = admitting(branches, types);
    uniteKeywords(constraints, ofType, keywords, unite);
    if (types === OBJECT) words = uniteObjects(constraints, ofType, unite);
  }
  const format = branches[0]?.['format'];
  const formatLost = branches.some((branch) => branch['format'] !== format);
  if (format !== undefined && !formatLost) constraints['format'] = format;
  if (formatLost || widenedTypes(branches, exclusive) !== 0) pass.note('widened');
  const spellOut = formatLost || (widenedTypes(branches, false) & ~OBJECT) !== 0;
  return described(branches, typeKeyword(types), constraints, branchText(branches, words, spellOut));
}

const NO_WORDS: ObjectWords = { labels: new Map() };

function described(branches: readonly JsonSchema[], type: JsonSchema, constraints: JsonSchema, text: string): FlatSchema {
  const head = { ...type, ...commonKeywords(branches) };
  if (text === '') return { ...head, ...constraints };
  return { ...head, description: text, ...constraints, [ADDED]: text };
}

function admitting(branches: readonly JsonSchema[], types: number): readonly JsonSchema[] {
  return branches.filter((branch) => (admittedTypes(branch) & types) !== 0);
}

/** All values of the branches, if each has a finite set and at least one lists its values. */
function finiteValues(branches: readonly JsonSchema[]): readonly unknown[] | undefined {
  if (branches.every((branch) => valuesOf(branch) === undefined)) return undefined;
  const lists = branches.map(branchValues);
  return lists.every((list) => list !== undefined) ? joinValues(lists) : undefined;
}

function branchValues(branch: JsonSchema): readonly unknown[] | undefined {
  const types = declaredTypes(branch);
  const values = valuesOf(branch);
  if (values !== undefined) return values.filter((value) => (typeOfValue(value) & types) !== 0);
  if ((types & ~(BOOLEAN | NULL)) !== 0) return undefined;
  return [...(types & BOOLEAN ? [true, false] : []), ...(types & NULL ? [null] : [])];
}

/** Derives the type from the listed values if a branch has no `type`, because models follow an explicit type. */
function valueTypes(branches: readonly JsonSchema[], values: readonly unknown[], types: number): number {
  if (branches.every((branch) => declaredTypes(branch) !== ANY)) return branches.reduce((all, branch) => all | declaredTypes(branch), 0);
  return types & typesOfValues(values);
}

function onlyValues(branch: JsonSchema): boolean {
  return !Object.keys(branch).some((keyword) => keyword !== 'enum' && keyword !== 'const' && keyword !== 'type' && isConstraint(keyword));
}

/** Keywords that are equal in all branches and are not constraints. Unknown keywords count as such. */
function commonKeywords(branches: readonly JsonSchema[]): MutableSchema {
  const [first = {}, ...others] = branches;
  const common: MutableSchema = {};
  for (const keyword of Object.keys(first)) {
    if (isConstraint(keyword) || keyword === 'description') continue;
    if (others.every((branch) => Object.hasOwn(branch, keyword) && equalData(branch[keyword], first[keyword]))) {
      put(common, keyword, first[keyword]);
    }
  }
  return common;
}

/** The types for which the union accepts more values than its branches together. */
function widenedTypes(branches: readonly JsonSchema[], exclusive: boolean): number {
  let widened = 0;
  for (const [types, keywords] of CONSTRAINTS) {
    const [first, ...others] = admitting(branches, types);
    if (first === undefined || (types === NULL && !exclusive)) continue;
    const constrained = (branch: JsonSchema): boolean => valuesOf(branch) !== undefined || keywords.some((keyword) => branch[keyword] !== undefined);
    const all = branches.reduce((sum, branch) => sum | (admittedTypes(branch) & types), 0);
    const alike = others.every((branch) => keywords.every((keyword) => equalData(branch[keyword], first[keyword])));
    const listed = [first, ...others].some((branch) => valuesOf(branch) !== undefined);
    const absorbed = [first, ...others].some((branch) => (admittedTypes(branch) & types) === all && !constrained(branch));
    if (exclusive && others.length > 0 ? true : !absorbed && (!alike || listed)) widened |= types;
  }
  return widened;
}

/** Writes the keywords that constrain one type, each only if every branch has it. Every branch must admit the type. */
function uniteKeywords(
  united: MutableSchema,
  branches: readonly JsonSchema[],
  keywords: readonly string[],
  unite: (schemas: readonly FlatValue[]) => FlatValue,
): void {
  const [first, ...others] = branches.map(withRange);
  if (first === undefined) return;
  for (const keyword of keywords) {
    const value = first[keyword];
    if (value === undefined || others.some((branch) => branch[keyword] === undefined)) continue;
    if (others.every((branch) => branch[keyword] === value)) {
      united[keyword] = value;
      continue;
    }
    const values = [value, ...others.map((branch) => branch[keyword])];
    const narrower = NARROWER.get(keyword);
    if (keyword === 'items' || keyword === 'propertyNames') united[keyword] = unite(values.map(asSchema));
    else if (narrower !== undefined && values.every((one) => typeof one === 'number'))
      united[keyword] = values.reduce(narrower === Math.max ? least : most);
  }
}

const least = (a: number, b: number): number => Math.min(a, b);
const most = (a: number, b: number): number => Math.max(a, b);

/** Converts listed numbers to a range, so that they unite with ranges: -1 next to `minimum: 0` is common. */
function withRange(branch: JsonSchema): JsonSchema {
  const values = valuesOf(branch)?.filter((value) => typeof value === 'number') ?? [];
  if (values.length === 0) return branch;
  // `Math.min(...values)` fails above about 100,000 arguments.
  let [minimum, maximum] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values) [minimum, maximum] = [Math.min(minimum, value), Math.max(maximum, value)];
  return { ...branch, minimum, maximum };
}
