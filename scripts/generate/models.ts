import { list } from './operations.ts';
import { banner, isObject, type Source } from './source.ts';

/** The hand-kept model catalogue as data. */
export function modelsFile(source: Source): string {
  const seen = new Set<string>();
  const rows = list(source.value['models']).map((row, index) => {
    if (!isObject(row) || typeof row['id'] !== 'string') throw source.error(['models', index], 'a row must have an id');
    if (seen.has(row['id'])) throw source.error(['models', index, 'id'], `${row['id']} has two rows`);
    seen.add(row['id']);
    // The source of each value stays in the YAML: the run time does not use it.
    const { source: _source, ...facts } = row;
    return `  ${JSON.stringify(facts)},\n`;
  });
  return `${banner}
/** Facts about a model. A field that no source states is absent; values of similar names are not copied. */
export interface CatalogueRow {
  readonly id: string;
  readonly aliases?: readonly string[];
  readonly family?: string;
  readonly kind: string;
  readonly capabilities?: readonly string[];
  readonly context_tokens?: number;
  readonly max_output_tokens?: number;
  /** US dollars per million tokens. */
  readonly price?: { readonly input?: number; readonly output?: number; readonly cached_input?: number };
  /** Evidence that the id exists. */
  readonly evidence: string;
}

export const catalogue: readonly CatalogueRow[] = [
${rows.join('')}];
`;
}
