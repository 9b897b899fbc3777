import { asSchema, type JsonSchema, type MutableSchema, type Subschema } from './json-schema.ts';
import { NARROWER } from './keywords.ts';
import { valuesOf } from './values.ts';

export type Unite = (schemas: readonly Subschema[]) => Subschema;

/** Writes the keywords that constrain one type, each only if every branch has it. Every branch must admit the type. */
export function uniteKeywords(united: MutableSchema, branches: readonly JsonSchema[], keywords: readonly string[], unite: Unite): void {
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
