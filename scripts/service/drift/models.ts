import type { Json } from '../../generate/document/source.ts';
import type { Claims } from '../facts.ts';
import type { Difference, Harm } from './difference.ts';
import type { ModelFacts, Table } from './tables.ts';

/** The differences of the rows of a table from the claims. */
export function modelDifferences({ name: table, rows, weight }: Table & { form: 'models' }, claims: Claims): Difference[] {
  return rows.flatMap((row) => {
    if (!claims.has(`model:${row.id}`)) return [{ harm: 'missing', claim: `model:${row.id}`, table, theirs: 'listed', ours: null }];
    return factsOf(row, claims).flatMap(([harm, claim, theirs, isSame]): Difference[] => {
      const ours = claims.get(claim)?.value ?? null;
      return isSame(ours) ? [] : [{ harm: weight ?? harm, claim, table, theirs, ours }];
    });
  });
}

type Fact = [harm: Harm, claim: string, theirs: Json, isSame: (ours: unknown) => boolean];

function factsOf(row: ModelFacts, claims: Claims): Fact[] {
  const { id, prices, thinks, thinking, effort } = row;
  const sizes = (['context_tokens', 'max_output_tokens'] as const).flatMap((column): Fact[] => {
    const size = row[column];
    return size === undefined ? [] : [['size', `limit:${id}.${column}`, size, (ours) => isSameSize(ours, size)]];
  });
  return [
    ...Object.entries(prices).map(([column, price]): Fact => ['price', `price:${id}.${column}`, price, (ours) => ours === price]),
    ...sizes,
    ...(thinks === undefined ? [] : [['word', `model:${id}.thinking`, thinks ? 'thinks' : 'none', (ours) => (ours !== 'none') === thinks] as Fact]),
    ...(thinking === undefined ? [] : [['word', `model:${id}.thinking`, thinking, (ours) => (ours ?? thinking) === thinking] as Fact]),
    ...(effort === undefined ? [] : [['word', `model:${id}.effort`, [...effort], (ours) => sorted(ours) === sorted(effort)] as Fact]),
    ...capabilities(row, claims.get(`model:${id}.capabilities`)?.value ?? []),
  ];
}

/** True for equal sizes, and for the same round number once in units of 1000 and once in units of 1024. */
function isSameSize(ours: unknown, theirs: number): boolean {
  if (typeof ours !== 'number') return false;
  const ratio = Math.max(ours, theirs) / Math.min(ours, theirs);
  return [1, 1.024, 1.024 ** 2].some((one) => Math.abs(ratio - one) < 1e-9);
}

function sorted(words: unknown): string {
  return Array.isArray(words) ? [...words].sort().join(' ') : '';
}

/** Our words as the table would have them, if they differ. */
function capabilities({ id, capabilities: stated }: ModelFacts, ours: unknown): Fact[] {
  const words = Array.isArray(ours) ? ours.map(String) : [];
  const denied = words.filter((word) => stated[word] === false);
  const added = Object.keys(stated).filter((word) => stated[word] === true && !words.includes(word));
  const theirs = [...words.filter((word) => !denied.includes(word)), ...added];
  return denied.length + added.length === 0 ? [] : [['word', `model:${id}.capabilities`, theirs, () => false]];
}
