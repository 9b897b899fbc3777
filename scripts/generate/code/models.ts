import { list } from '../document/operations.ts';
import { checkShape, evidenceWords, mapOf } from '../document/shape.ts';
import { banner, type Json, type JsonObject, type Source } from '../document/source.ts';
import { effortShape } from './effort.ts';

const texts: JsonObject = { type: 'array', items: { type: 'string' } };
const dated = '\\d{4}-\\d{2}(-\\d{2})?$';
const sources: JsonObject = { type: 'array', minItems: 1, items: { type: 'string', pattern: dated } };
const evidence: JsonObject = { enum: evidenceWords };
const tokens: JsonObject = { type: 'integer', minimum: 1 };
const amount: JsonObject = { type: 'number', minimum: 0 };
const kinds = ['chat', 'image', 'video', 'transcription', 'speech', 'voice', 'ocr', 'embedding', 'rerank', 'moderation'];
const origin = { evidence, source: sources };
const amounts = { input: amount, output: amount, cached_input: amount };
const prices = (properties: JsonObject): JsonObject => ({
  type: 'array',
  minItems: 1,
  items: mapOf(['evidence', 'source'], { ...amounts, ...properties, ...origin }),
});
const row = mapOf(['id', 'kind', 'evidence', 'source'], {
  id: { type: 'string', minLength: 1 },
  family: { type: 'string' },
  kind: { enum: kinds },
  status: { enum: ['current', 'leaving', 'old'] },
  capabilities: texts,
  context_tokens: tokens,
  max_output_tokens: tokens,
  enforced_output_tokens: tokens,
  default_output_tokens: tokens,
  batch: { const: true },
  refuses: { type: 'array', items: { enum: ['plan', 'tool_choice'] } },
  thinking: { enum: ['always', 'switchable', 'none'] },
  effort: texts,
  effort_checked: { type: 'array', items: { enum: ['platform', 'coding', 'messages', 'responses'] } },
  plan_model: { type: 'string' },
  credits: mapOf(['input', 'output', 'cached_input'], amounts),
  prices: prices({}),
  prices_cny: prices({ when: { type: 'string' } }),
  item_price: mapOf(['usd', 'item', 'evidence', 'source'], { usd: amount, item: { type: 'string' }, ...origin }),
  disputed: texts,
  ...origin,
});
const columns = ['status', 'capabilities', 'context_tokens', 'max_output_tokens', 'default_output_tokens', 'thinking', 'effort', 'effort_checked'];
const service = mapOf(['name', 'price', 'currency', 'item', 'evidence', 'source'], {
  name: { type: 'string' },
  price: amount,
  currency: { enum: ['USD', 'CNY'] },
  item: { type: 'string' },
  ...origin,
});
const fact = mapOf(['evidence', 'source'], origin);
const refusal = mapOf(['when', 'status', 'code', 'evidence', 'source'], {
  when: { type: 'string' },
  status: { type: 'integer' },
  code: { type: 'string' },
  ...origin,
});
const file = mapOf(['defaults', 'facts', 'refusals', 'models'], {
  defaults: mapOf(['text', 'vision', 'probe'], Object.fromEntries(['text', 'vision', 'probe'].map((use) => [use, { type: 'string' }]))),
  facts: mapOf([], Object.fromEntries([...columns, 'batch', 'plan_model', 'credits'].map((name) => [name, fact]))),
  refusals: { type: 'object', additionalProperties: refusal },
  effort: effortShape,
  models: { type: 'array', items: row },
  services: { type: 'array', items: service },
  'x-confirmed': { type: 'object', additionalProperties: { type: 'array', items: { type: 'string' } } },
});

/** Where a fact comes from. */
export interface Origin {
  readonly evidence: string;
  readonly source: readonly string[];
}

/** Prices of a model by one or more sources, per million tokens. */
export interface PriceClaim extends Origin {
  readonly input?: number;
  readonly output?: number;
  readonly cached_input?: number;
  /** Calls the price is for. */
  readonly when?: string;
}

/** A row of the file. */
export interface FileRow extends Origin {
  readonly id: string;
  readonly family?: string;
  readonly kind: string;
  readonly status?: string;
  readonly context_tokens?: number;
  readonly max_output_tokens?: number;
  readonly enforced_output_tokens?: number;
  readonly default_output_tokens?: number;
  readonly batch?: true;
  readonly refuses?: readonly string[];
  readonly thinking?: string;
  readonly effort?: string[];
  readonly capabilities?: string[];
  readonly effort_checked?: string[];
  readonly plan_model?: string;
  readonly prices?: readonly PriceClaim[];
  readonly prices_cny?: readonly PriceClaim[];
  readonly item_price?: Origin & { readonly usd: number; readonly item: string };
  readonly disputed?: readonly string[];
}

/** The price of a call that names no model. */
export interface ServicePrice extends Origin {
  readonly name: string;
  readonly price: number;
  readonly currency: string;
  readonly item: string;
}

/** The rows of the file, checked. */
export function modelRows(source: Source): (FileRow & JsonObject)[] {
  checkShape(source, file);
  const rows = list(source.value['models']) as unknown as (FileRow & JsonObject)[];
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

export const priced = ['input', 'output', 'cached_input'] as const;

/** True if some sources list the model at 0 and others do not. */
export function isDisputed({ prices = [] }: FileRow): boolean {
  const isFree = (claim: PriceClaim): boolean => priced.every((field) => (claim[field] ?? 0) === 0);
  return prices.some(isFree) && !prices.every(isFree);
}

/** The price of the first source; undefined if only some sources list the model as free. */
function priceOf(model: FileRow): JsonObject | undefined {
  const [first] = model.prices ?? [];
  if (!first || isDisputed(model)) return undefined;
  return Object.fromEntries(priced.flatMap((field): [string, Json][] => (first[field] === undefined ? [] : [[field, first[field]]])));
}

/** Sources of the id and of the price that counts, and the newest of their dates. */
function originOf(model: FileRow): JsonObject {
  const price = priceOf(model) && model.prices?.[0];
  const source = [...new Set([model, price, model.item_price].flatMap((origin) => origin?.source ?? []))];
  // A day sorts behind its month.
  const dates = source.map((name) => new RegExp(dated).exec(name)?.[0] ?? '').sort();
  return { source, as_of: dates.at(-1) ?? '' };
}

// Disputes, the sources of columns and the prices of the china host stay in the YAML and in docs/evidence.md, so that the client stays small.
const compiled = [
  'id',
  'family',
  'kind',
  'status',
  'capabilities',
  'context_tokens',
  'max_output_tokens',
  'thinking',
  'effort',
  'effort_checked',
  'plan_model',
  'credits',
] as const;

/** The ids that examples and the command line use, apart from the catalogue, which is larger. */
export function modelIdsFile(source: Source): string {
  const rows = modelRows(source);
  const defaults = source.value['defaults'] as { [use: string]: string };
  for (const [use, id] of Object.entries(defaults))
    if (rows.find((model) => model.id === id)?.status !== 'current') throw source.error(['defaults', use], `${id} has no row with status current`);
  const current = rows.filter(({ status }) => status === 'current').map(({ id }) => id);
  const outsideBatches = rows.filter(({ kind, batch }) => kind === 'chat' && !batch).map(({ id }) => id);
  return `${banner}
/** Models of calls that name none: for text, for images and other media, and for the billed probe of a key. */
export const defaultModels = ${JSON.stringify(defaults)} as const;

/** Chat models that the vendor lists as current, newest first. */
export const currentModels: readonly string[] = ${JSON.stringify(current)};

/** Chat models that the vendor's list of models for batches lacks. */
export const outsideBatches: readonly string[] = ${JSON.stringify(outsideBatches)};
`;
}

/** The hand-kept model catalogue as data. */
export function modelsFile(source: Source): string {
  const rows = modelRows(source).map((model) => {
    const price = priceOf(model);
    const item = model.item_price && { item_price: { usd: model.item_price.usd, item: model.item_price.item } };
    const facts = compiled.flatMap((name): [string, Json][] => (model[name] === undefined ? [] : [[name, model[name]]]));
    return `  ${JSON.stringify({ ...Object.fromEntries(facts), ...(price && { price }), ...item, evidence: model.evidence, ...originOf(model) })},\n`;
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
  readonly as_of: string;
}

export const catalogue: readonly CatalogueRow[] = [
${rows.join('')}];
`;
}
