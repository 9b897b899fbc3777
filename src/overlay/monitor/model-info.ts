import { type CatalogueRow, catalogue } from '../../generated/models.ts';
import type { Model } from '../../generated/types.ts';
import { StreamError } from '../errors/errors.ts';

export { catalogue };

/** Facts about a model, from the service and, where it sent none, from the catalogue of this package. Absent means unknown. */
export interface ModelInfo extends Partial<Omit<Model, 'id'>> {
  /** Model id. */
  id: string;
  /** Whether the service lists it for this key. Vision, flash, speech, image, video, embedding and OCR models work without being listed. */
  listed: boolean;
  /** Generation, for instance `GLM-4`. From the catalogue. */
  family?: string;
  /** Kind of operation: `chat`, `image`, `video`, `transcription`, `speech`, `voice`, `ocr`, `embedding`, `rerank`, `moderation`. From the catalogue. */
  kind?: string;
  /** Capabilities such as `text`, `vision`, `video`, `file`, `thinking`, `tools`, `code`, `ocr`, `audio`. From the catalogue. */
  capabilities?: string[];
  /** Maximum number of tokens in one answer. From the catalogue. */
  max_output_tokens?: number;
  /** Whether the model thinks: `always` (it cannot be switched off), `switchable` or `none`. From the catalogue. */
  thinking?: 'always' | 'switchable' | 'none';
  /** The words of `reasoning_effort` that choose a depth; absent if the service ignores the field. From the catalogue. */
  effort?: string[];
  /** Price of one image, video or minute in US dollars, for models that are not billed by tokens. From the catalogue. */
  item_price?: { usd: number; item: string };
  /** Evidence of the catalogue's facts: `recorded`, `documented`, `sdk-only` or `reported`. */
  evidence?: string;
}

/** The catalogue's row of exactly this id. Similar names are different models: the prices of glm-4.7-flash and glm-4.7 differ. */
export function catalogueRow(id: string): CatalogueRow | undefined {
  return rows.get(id);
}

// The annotation lets a bundler drop the call if the rows are not used.
const rows: ReadonlyMap<string, CatalogueRow> = /* @__PURE__ */ rowsById();

function rowsById(): Map<string, CatalogueRow> {
  return new Map(catalogue.map((row) => [row.id, row]));
}

/** A listed model with missing fields filled from the catalogue. Returns a new object. */
export function listedInfo(model: Model): ModelInfo {
  const row = catalogueRow(model.id);
  const { id, ...told } = withoutNull(copyOf(model));
  return { ...(row && rowFacts(row)), ...told, id, listed: true };
}

function copyOf(model: Model): Model {
  try {
    return structuredClone(model);
  } catch {
    throw new StreamError('models.list', 'malformed', 'a model in the list is nested too deeply to be copied');
  }
}

/** A model that is only in the catalogue. Returns a new object. */
export function unlistedInfo(row: CatalogueRow): ModelInfo {
  return { ...rowFacts(row), id: row.id, listed: false };
}

function rowFacts(row: CatalogueRow): Partial<ModelInfo> {
  const { family, kind, capabilities, context_tokens, max_output_tokens, thinking, effort, price, item_price, evidence } = row;
  return {
    ...(family !== undefined && { family }),
    kind,
    ...(capabilities && { capabilities: [...capabilities] }),
    ...(context_tokens !== undefined && { max_context: context_tokens }),
    ...(max_output_tokens !== undefined && { max_output_tokens }),
    ...(thinking && { thinking }),
    ...(effort && { effort: [...effort] }),
    ...(price && { pricing: pricingOf(price) }),
    ...(item_price && { item_price: { ...item_price } }),
    evidence,
  };
}

function pricingOf(price: NonNullable<CatalogueRow['price']>): NonNullable<Model['pricing']> {
  const { input, output, cached_input: cached } = price;
  return {
    ...(input !== undefined && { prompt: input }),
    ...(output !== undefined && { completion: output }),
    ...(cached !== undefined && { cached_prompt: cached }),
    unit: 'USD per million tokens',
  };
}

/** The fields that are not null, because a null must not replace a value of the catalogue. */
function withoutNull<T extends object>(fields: T): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)) as T;
}
