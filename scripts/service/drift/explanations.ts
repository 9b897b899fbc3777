import { list } from '../../generate/document/operations.ts';
import { checkShape, mapOf } from '../../generate/document/shape.ts';
import { loadYaml } from '../../generate/document/source.ts';
import type { Explanation } from './difference.ts';

const text = { type: 'string', minLength: 1 };
const explanation = mapOf(['claim', 'table', 'theirs', 'why', 'date'], {
  claim: text,
  table: text,
  theirs: true,
  ours: true,
  why: text,
  date: { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}$' },
});

/** The explanations of a file. Refuses two of one difference, and a claim that no longer exists; a claim may not exist yet if `ours` is null. */
export async function readExplanations(path: string, claims: ReadonlySet<string>): Promise<Explanation[]> {
  const source = await loadYaml(path);
  checkShape(source, mapOf(['explained'], { explained: { type: 'array', items: explanation } }));
  const rows = list(source.value['explained']) as unknown as Explanation[];
  const seen = new Set<string>();
  for (const [index, { claim, table, ours }] of rows.entries()) {
    if (ours !== null && !claims.has(claim)) throw source.error(['explained', index, 'claim'], `${claim} is not a claim; delete its explanation`);
    if (seen.has(`${table} ${claim}`)) throw source.error(['explained', index, 'claim'], `${claim} is explained twice for ${table}`);
    seen.add(`${table} ${claim}`);
  }
  return rows;
}
