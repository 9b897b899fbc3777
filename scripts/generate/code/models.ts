import { type FileRow, isDisputed, modelRows, priced } from '../document/models.ts';
import { banner, type Json, type JsonObject, type Source } from '../document/source.ts';

/** The price of the first source; undefined if only some sources list the model as free. */
function priceOf(model: FileRow): JsonObject | undefined {
  const [first] = model.prices ?? [];
  if (!first || isDisputed(model)) return undefined;
  return Object.fromEntries(priced.flatMap((field): [string, Json][] => (first[field] === undefined ? [] : [[field, first[field]]])));
}

/** Sources of the id and of the price that counts. */
function sourceOf(model: FileRow): string[] {
  const price = priceOf(model) && model.prices?.[0];
  return [...new Set([model, price, model.item_price].flatMap((origin) => origin?.source ?? []))];
}

// Disputes, the sources of columns and the prices of the china host stay in the YAML and in docs/evidence.md, so that the client stays small.
const compiled = [
  'id',
  'family',
  'kind',
  'status',
  'until',
  'capabilities',
  'context_tokens',
  'max_output_tokens',
  'thinking',
  'effort',
  'effort_checked',
  'plan_model',
  'credits',
  'batch',
] as const;

/** The ids that examples and the command line use, apart from the catalogue, which is larger. */
export function modelIdsFile(source: Source): string {
  const rows = modelRows(source);
  const defaults = source.value['defaults'] as { [use: string]: string };
  for (const [use, id] of Object.entries(defaults))
    if (rows.find((model) => model.id === id)?.status !== 'current') throw source.error(['defaults', use], `${id} has no row with status current`);
  const current = rows.filter(({ status }) => status === 'current').map(({ id }) => id);
  return `${banner}
/** Models of calls that name none: for text, for images and other media, and for the billed probe of a key. */
export const defaultModels = ${JSON.stringify(defaults)} as const;

/** Chat models that the vendor lists as current, newest first. */
export const currentModels: readonly string[] = ${JSON.stringify(current)};
`;
}

/** The hand-kept model catalogue as data. */
export function modelsFile(source: Source): string {
  const rows = modelRows(source).map((model) => {
    const price = priceOf(model);
    const item = model.item_price && { item_price: { usd: model.item_price.usd, item: model.item_price.item } };
    const facts = compiled.flatMap((name): [string, Json][] => (model[name] === undefined ? [] : [[name, model[name]]]));
    return `  ${JSON.stringify({ ...Object.fromEntries(facts), ...(price && { price }), ...item, evidence: model.evidence, source: sourceOf(model) })},\n`;
  });
  return `${banner}
/**
 * Facts about a model, in the form of the catalogue: also a row of \`Config.models\`, where only \`id\` is required. An absent field is
 * unknown; values of similar names are not copied.
 */
export interface ModelRow {
  /** Model id, exactly as requests have it. */
  readonly id: string;
  /** Generation, for instance \`GLM-5\`. */
  readonly family?: string | undefined;
  /** Kind of operation, for instance \`chat\` or \`image\`. Default of a new model: \`chat\`. */
  readonly kind?: string | undefined;
  /** For chat models: \`current\`, \`leaving\` (soon to retire) or \`old\`. */
  readonly status?: 'current' | 'leaving' | 'old' | undefined;
  /** Last day of a model that is leaving, if it is known. */
  readonly until?: string | undefined;
  /** Capabilities such as \`text\`, \`vision\`, \`tools\`. Default of a new chat model: \`text\`. */
  readonly capabilities?: readonly string[] | undefined;
  /** Maximum number of tokens of a conversation. */
  readonly context_tokens?: number | undefined;
  /** Maximum number of tokens in one answer. */
  readonly max_output_tokens?: number | undefined;
  /** Whether thinking can be switched off. */
  readonly thinking?: 'always' | 'switchable' | 'none' | undefined;
  /** Words of \`reasoning_effort\` that choose a depth. Absent if the service ignores the field. */
  readonly effort?: readonly string[] | undefined;
  /** Where the service refuses every other word, and thinking off, with code 1210. */
  readonly effort_checked?: readonly ('platform' | 'coding' | 'messages' | 'responses')[] | undefined;
  /** The model that answers a plan key on the coding root. */
  readonly plan_model?: string | undefined;
  /** Factors of a V3 plan: credits for 10,000 tokens, outside the discounted hours. */
  readonly credits?: { readonly input: number; readonly output: number; readonly cached_input: number } | undefined;
  /** US dollars per million tokens. */
  readonly price?: { readonly input?: number | undefined; readonly output?: number | undefined; readonly cached_input?: number | undefined } | undefined;
  /** US dollars for one image, video or minute. */
  readonly item_price?: { readonly usd: number; readonly item: string } | undefined;
  /** Evidence that the id exists: \`recorded\`, \`documented\`, \`sdk-only\`, \`reported\` or \`unconfirmed\`. */
  readonly evidence?: string | undefined;
  /** Sources of the facts. */
  readonly source?: readonly string[] | undefined;
  /** Date of the newest source: year and month, or a day, for instance \`2026-11-20\`. */
  readonly as_of?: string | undefined;
}

/** A row of the built-in catalogue. Its price is also absent if the sources differ on whether the model is free. */
export interface CatalogueRow extends ModelRow {
  readonly kind: string;
  readonly evidence: string;
  readonly source: readonly string[];
  /** True if the vendor's list of models for batches has it. */
  readonly batch?: boolean;
}

export const catalogue: readonly CatalogueRow[] = [
${rows.join('')}];
`;
}
