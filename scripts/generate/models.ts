import { list } from './operations.ts';
import { checkShape, evidenceWords, mapOf } from './shape.ts';
import { banner, type Json, type JsonObject, type Source } from './source.ts';

const texts: JsonObject = { type: 'array', items: { type: 'string' } };
const sources: JsonObject = { ...texts, minItems: 1 };
const evidence: JsonObject = { enum: evidenceWords };
const tokens: JsonObject = { type: 'integer', minimum: 1 };
const dollars: JsonObject = { type: 'number', minimum: 0 };
const kinds = ['chat', 'image', 'video', 'transcription', 'speech', 'voice', 'ocr', 'embedding', 'rerank', 'moderation'];
const price = mapOf(['evidence', 'source'], { input: dollars, output: dollars, cached_input: dollars, evidence, source: sources });
const row = mapOf(['id', 'kind', 'evidence', 'source'], {
  id: { type: 'string', minLength: 1 },
  aliases: texts,
  family: { type: 'string' },
  kind: { enum: kinds },
  capabilities: texts,
  context_tokens: tokens,
  max_output_tokens: tokens,
  prices: { type: 'array', minItems: 1, items: price },
  evidence,
  source: sources,
});

/** Prices of a model by one or more sources, in US dollars per million tokens. */
export interface PriceClaim {
  readonly input?: number;
  readonly output?: number;
  readonly cached_input?: number;
  readonly evidence: string;
  readonly source: readonly string[];
}

/** A row of the file. */
export interface ModelRow {
  readonly id: string;
  readonly prices?: readonly PriceClaim[];
}

/** The rows of the file, checked. */
export function modelRows(source: Source): (ModelRow & JsonObject)[] {
  checkShape(source, mapOf(['models'], { models: { type: 'array', items: row } }));
  const rows = list(source.value['models']) as unknown as (ModelRow & JsonObject)[];
  const seen = new Set<string>();
  for (const [index, { id, prices = [] }] of rows.entries()) {
    if (seen.has(id)) throw source.error(['models', index, 'id'], `${id} has two rows`);
    seen.add(id);
    // A claim without a number would count as free.
    const empty = prices.findIndex(({ input, output }) => input === undefined && output === undefined);
    if (empty >= 0) throw source.error(['models', index, 'prices', empty, 'input'], 'missing, and output too');
  }
  return rows;
}

const priced = ['input', 'output', 'cached_input'] as const;

/** True if some sources list the model at 0 and others do not. */
export function isDisputed({ prices = [] }: ModelRow): boolean {
  const isFree = (claim: PriceClaim): boolean => priced.every((field) => (claim[field] ?? 0) === 0);
  return prices.some(isFree) && !prices.every(isFree);
}

/** The price of the first source; undefined if only some sources list the model as free. */
function priceOf(model: ModelRow): JsonObject | undefined {
  const [first] = model.prices ?? [];
  if (!first || isDisputed(model)) return undefined;
  return Object.fromEntries(priced.flatMap((field): [string, Json][] => (first[field] === undefined ? [] : [[field, first[field]]])));
}

/** The hand-kept model catalogue as data. */
export function modelsFile(source: Source): string {
  const rows = modelRows(source).map((model) => {
    // Sources stay in the YAML, because the client does not use them.
    const { source: _source, prices: _prices, evidence, ...facts } = model;
    const price = priceOf(model);
    return `  ${JSON.stringify({ ...facts, ...(price && { price }), evidence })},\n`;
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
  /** US dollars per million tokens. Absent if unknown, or if the sources differ on whether the model is free. */
  readonly price?: { readonly input?: number; readonly output?: number; readonly cached_input?: number };
  /** Evidence that the id exists. */
  readonly evidence: string;
}

export const catalogue: readonly CatalogueRow[] = [
${rows.join('')}];
`;
}
