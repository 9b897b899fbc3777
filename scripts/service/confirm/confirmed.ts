// The table of confirmed claims in a file of the spec.
import { isMap, parseDocument, stringify } from 'yaml';
import { confirmedKey } from '../../generate/claims/claims.ts';

type Table = Readonly<Record<string, readonly string[]>>;

/**
 * The text of a YAML file with some claims confirmed by a source, `confirm HOST DATE`. A later date takes the place of an earlier one of the same host.
 * Only the lines of the table change: the writer of the library would lay out the rest again.
 */
export function withConfirmed(text: string, ids: readonly string[], source: string): string {
  if (ids.length === 0) return text;
  const start = text.search(new RegExp(`^${confirmedKey}:`, 'm'));
  // The whole of a file takes long to parse.
  const document = parseDocument(start < 0 ? '' : text.slice(start));
  const found = document.get(confirmedKey, true);
  const table: Record<string, readonly string[]> = { ...(isMap(found) ? (found.toJSON() as Table) : {}) };
  for (const id of ids) table[id] = merged(table[id] ?? [], source);
  const block = stringify({ [confirmedKey]: Object.fromEntries(Object.entries(table).sort(([a], [b]) => (a < b ? -1 : 1))) }, { lineWidth: 0 });
  const lines = block
    .replace(/:\n {4}- (.+)(?=\n)/g, ': [$1')
    .replace(/\n {4}- (.+)(?=\n)/g, ', $1')
    .replace(/\[(.*)$/gm, '[$1]');
  if (start < 0) return `${text.endsWith('\n') ? text : `${text}\n`}${lines}`;
  const end = isMap(found) ? found.range?.[2] : undefined;
  return text.slice(0, start) + lines + (end === undefined ? '' : text.slice(start + end));
}

function merged(sources: readonly string[], source: string): readonly string[] {
  const host = source.slice(0, source.lastIndexOf(' '));
  const same = sources.find((one) => one.startsWith(`${host} `));
  const newest = same !== undefined && same > source ? same : source;
  return [...sources.filter((one) => one !== same), newest].sort();
}
