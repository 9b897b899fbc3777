import { isDeepStrictEqual } from 'node:util';
import type { Json } from '../../generate/document/source.ts';

/** Classes of differences, the most harmful first. */
export const harms = {
  price: 'Wrong price',
  refused: 'Field or value that the service may refuse',
  missing: 'Missing model or operation',
  client: "Otherwise in the vendor's own client, which is no promise",
  size: 'Wrong size',
  word: 'Word or default',
  extra: 'Field of one side only',
} as const;

export type Harm = keyof typeof harms;

/** A value that a table has otherwise than the claims. Null: that side has none. */
export interface Difference {
  readonly harm: Harm;
  readonly claim: string;
  readonly table: string;
  readonly theirs: Json;
  readonly ours: unknown;
}

/** A difference that a person looked at. */
export interface Explanation {
  readonly claim: string;
  readonly table: string;
  readonly theirs: Json;
  /** Absent: whatever the spec has, as for a list that grows. */
  readonly ours?: Json;
  readonly why: string;
  readonly date: string;
}

export interface Judged {
  readonly open: readonly (Difference & { readonly was?: Explanation })[];
  readonly explained: number;
  /** Explanations of differences that the tables no longer have. */
  readonly unused: readonly Explanation[];
}

/** Sort the differences by harm, without those that are explained. One that changed since is open again. */
export function judge(differences: readonly Difference[], explanations: readonly Explanation[], tables: ReadonlySet<string>): Judged {
  const order = Object.keys(harms);
  const noteOf = new Map(explanations.map((one) => [`${one.table} ${one.claim}`, one]));
  const keyOf = ({ table, claim }: Difference): string => `${table} ${claim}`;
  const open = differences.filter((one) => {
    const note = noteOf.get(keyOf(one));
    return !isDeepStrictEqual([note?.theirs, note?.ours === undefined ? one.ours : note.ours], [one.theirs, one.ours]);
  });
  const seen = new Set(differences.map(keyOf));
  return {
    open: open
      .map((one) => ({ ...one, ...(noteOf.has(keyOf(one)) && { was: noteOf.get(keyOf(one)) as Explanation }) }))
      .sort((one, other) => order.indexOf(one.harm) - order.indexOf(other.harm) || (keyOf(one) < keyOf(other) ? -1 : 1)),
    explained: differences.length - open.length,
    unused: explanations.filter((one) => tables.has(one.table) && !seen.has(`${one.table} ${one.claim}`)),
  };
}
