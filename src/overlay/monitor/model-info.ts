import { type CatalogueRow, catalogue, type ModelRow } from '../../generated/models.ts';
import type { Model } from '../../generated/types.ts';
import { freeReplyError } from '../errors/refusal.ts';

export { catalogue };

/** Facts about a model, from `Config.models`, from the service and from the built-in catalogue, in this order. Absent means unknown. */
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
  /** For chat models: `current`, `leaving` (soon to retire) or `old`. From the catalogue. */
  status?: 'current' | 'leaving' | 'old';
  /** Evidence that the id exists: `recorded`, `documented`, `sdk-only` or `reported`. From the catalogue. */
  evidence?: string;
  /** Sources of the catalogue's facts. The sources of a row of `Config.models` come first; without any it is `Config.models`. */
  source?: string[];
  /** Year and month, or day, of the newest source. From the catalogue. */
  as_of?: string;
}

/** Rows of `Config.models` by id. */
export type OwnRows = ReadonlyMap<string, ModelRow>;

/**
 * The catalogue's row of exactly this id: the built-in one, with the fields of the user's row instead of its own. Similar names are
 * different models: the prices of glm-4.7-flash and glm-4.7 differ.
 */
export function catalogueRow(id: string, own?: OwnRows): ModelRow | undefined {
  const row = rows.get(id);
  const given = own?.get(id);
  if (!given) return row;
  const { kind = row?.kind ?? 'chat', source = ['Config.models'] } = given;
  return { ...(!row && kind === 'chat' && { capabilities: ['text'] }), ...row, ...given, kind, source: [...source, ...(row?.source ?? [])] };
}

// The annotation lets a bundler drop the call if the rows are not used.
const rows: ReadonlyMap<string, CatalogueRow> = /* @__PURE__ */ rowsById();

function rowsById(): Map<string, CatalogueRow> {
  // A day sorts after its month.
  const newest = (source: readonly string[]): string =>
    source
      .map((one) => one.slice(one.lastIndexOf(' ') + 1))
      .sort()
      .at(-1) ?? '';
  return new Map(catalogue.map((row) => [row.id, { ...row, as_of: newest(row.source) }]));
}

/** A listed model. The user's facts replace the service's, which replace the built-in ones. Returns a new object. */
export function listedInfo(model: Model, own: OwnRows): ModelInfo {
  const row = catalogueRow(model.id, own);
  const given = own.get(model.id);
  const certain = { id: model.id, listed: true, ...(given && rowFacts(given)) };
  // A null must not replace a value of the catalogue.
  const told = Object.entries(copyOf(model)).filter(([name, value]) => value !== null && !Object.hasOwn(certain, name));
  return { ...certain, ...(row && rowFacts(row)), ...Object.fromEntries(told) };
}

function copyOf(model: Model): Model {
  try {
    return structuredClone(model);
  } catch {
    throw freeReplyError('models.list', 'a model in the list is nested too deeply to be copied', 'Report this to the service.');
  }
}

/** A model that is only in the catalogue. Returns a new object. */
export function unlistedInfo(row: ModelRow): ModelInfo {
  return { id: row.id, listed: false, ...rowFacts(row) };
}

function rowFacts(row: ModelRow): Partial<ModelInfo> {
  const { family, kind, capabilities, context_tokens, max_output_tokens, thinking, effort, price, item_price } = row;
  const { status, evidence, source, as_of } = row;
  return {
    ...(family !== undefined && { family }),
    ...(kind !== undefined && { kind }),
    ...(status && { status }),
    ...(capabilities && { capabilities: [...capabilities] }),
    ...(context_tokens !== undefined && { max_context: context_tokens }),
    ...(max_output_tokens !== undefined && { max_output_tokens }),
    ...(thinking && { thinking }),
    ...(effort && { effort: [...effort] }),
    ...(price && { pricing: pricingOf(price) }),
    ...(item_price && { item_price: { ...item_price } }),
    ...(evidence !== undefined && { evidence }),
    ...(source && { source: [...source] }),
    ...(as_of !== undefined && { as_of }),
  };
}

function pricingOf(price: NonNullable<ModelRow['price']>): NonNullable<Model['pricing']> {
  const { input, output, cached_input: cached } = price;
  return {
    ...(input !== undefined && { prompt: input }),
    ...(output !== undefined && { completion: output }),
    ...(cached !== undefined && { cached_prompt: cached }),
    unit: 'USD per million tokens',
  };
}
