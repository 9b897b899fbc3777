import { effortShape } from './effort.ts';
import { list } from './operations.ts';
import { checkShape, evidenceWords, mapOf } from './shape.ts';
import { type JsonObject, type Source, SpecError } from './source.ts';

const texts: JsonObject = { type: 'array', items: { type: 'string' } };
/** The end of a source. */
export const dated = '\\d{4}-\\d{2}(-\\d{2})?$';
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
  until: { type: 'string', pattern: dated },
  listed: { type: 'array', items: { enum: ['chat', 'async', 'messages', 'responses'] } },
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
  facts: mapOf(['evidence', 'source'], origin),
  ...origin,
});
const columns = ['status', 'capabilities', 'context_tokens', 'max_output_tokens', 'default_output_tokens', 'thinking', 'effort', 'effort_checked'];
const service = mapOf(['name', 'price', 'currency', 'item', 'evidence', 'source'], {
  name: { type: 'string' },
  price: amount,
  currency: { enum: ['USD', 'CNY', 'credits'] },
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
  readonly until?: string;
  readonly listed?: readonly string[];
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
  /** Where the other columns come from, instead of `facts` of the file. */
  readonly facts?: Origin;
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

/** The text of the document with its lists of models, each on a line that ends in the mark `# models.yaml: NAME`. */
export function withModelLists(text: string, rows: readonly FileRow[]): string {
  return text.replace(/^( *[\w-]+: )\[.*\] # models\.yaml: (\w+)$/gm, (_, key: string, name: string) => {
    const ids = rows.filter((row) => (name === 'limited' ? isLimited(row) : row.listed?.includes(name))).map(({ id }) => id);
    if (ids.length === 0) throw new SpecError(`spec/openapi.yaml: # models.yaml: ${name}: no model has this word in listed`);
    return `${key}[${ids.join(', ')}] # models.yaml: ${name}`;
  });
}

function isLimited({ kind, status, capabilities = [] }: FileRow): boolean {
  return kind === 'chat' && (status === 'current' || status === 'leaving') && !capabilities.includes('audio');
}

export const priced = ['input', 'output', 'cached_input'] as const;

/** True if some sources list the model at 0 and others do not. */
export function isDisputed({ prices = [] }: FileRow): boolean {
  const isFree = (claim: PriceClaim): boolean => priced.every((field) => (claim[field] ?? 0) === 0);
  return prices.some(isFree) && !prices.every(isFree);
}

/**
 * The number of output tokens above which the service refuses a request. The probe covered the models of the enum, and glm-4-long. The limits
 * of the other rows are from older pages, and not known to be enforced.
 */
export function outputLimit(row: FileRow): number | undefined {
  const { kind, status, source, facts } = row;
  const isProbed = kind === 'chat' && !facts && (status !== 'old' || source.some((one) => one.includes('probe')));
  return isProbed ? (row.enforced_output_tokens ?? row.max_output_tokens) : undefined;
}
