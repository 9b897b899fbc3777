import { type CatalogueRow, catalogue } from '../../generated/models.ts';
import type { Model } from '../../generated/types.ts';
import { StreamError } from '../errors/errors.ts';

export { catalogue };

/** What is known of a model: what the service told, and what it left out from the catalogue of this package. Absent is unknown. */
export interface ModelInfo extends Partial<Omit<Model, 'id'>> {
  /** Model id. */
  id: string;
  /** Whether the service listed it to this key. Vision, flash, speech, image, video, embedding and OCR models work without being listed. */
  listed: boolean;
  /** Other ids of the same model. From the catalogue. */
  aliases?: string[];
  /** Generation, for instance `GLM-4`. From the catalogue. */
  family?: string;
  /** What it is called with: `chat`, `image`, `video`, `transcription`, `speech`, `voice`, `ocr`, `embedding`, `rerank`, `moderation`. From the catalogue. */
  kind?: string;
  /** Words like `text`, `vision`, `thinking`, `tools`, `code`, `ocr`, `audio`. From the catalogue. */
  capabilities?: string[];
  /** Most tokens of one answer. From the catalogue. */
  max_output_tokens?: number;
  /** How sure the catalogue is of the model: `recorded`, `documented`, `sdk-only` or `reported`. */
  evidence?: string;
}

/** The catalogue's row of exactly this id or alias. A similar name says nothing: glm-4.5-flash does not cost what glm-4.5 does. */
export function catalogueRow(id: string): CatalogueRow | undefined {
  return rows.get(id);
}

// Marked, for a bundler to drop it with the rest.
const rows: ReadonlyMap<string, CatalogueRow> = /* @__PURE__ */ rowsById();

function rowsById(): Map<string, CatalogueRow> {
  return new Map(catalogue.flatMap((row) => [...(row.aliases ?? []), row.id].map((id) => [id, row] as const)));
}

/** A listed model, completed from the catalogue; what the service says wins. Always a fresh object. */
export function listedInfo(model: Model): ModelInfo {
  const row = catalogueRow(model.id);
  const { id, ...told } = withoutNull(copyOf(model));
  return { ...(row && rowFacts(row)), ...told, id, listed: true };
}

function copyOf(model: Model): Model {
  try {
    return structuredClone(model);
  } catch {
    throw new StreamError('models.list', 'malformed', 'a model of the list is nested too deeply to be copied');
  }
}

/** A model that only the catalogue knows. Always a fresh object. */
export function unlistedInfo(row: CatalogueRow): ModelInfo {
  return { ...rowFacts(row), id: row.id, listed: false };
}

function rowFacts(row: CatalogueRow): Partial<ModelInfo> {
  const { aliases, family, kind, capabilities, context_tokens, max_output_tokens, price, evidence } = row;
  return {
    ...(aliases && { aliases: [...aliases] }),
    ...(family !== undefined && { family }),
    kind,
    ...(capabilities && { capabilities: [...capabilities] }),
    ...(context_tokens !== undefined && { max_context: context_tokens }),
    ...(max_output_tokens !== undefined && { max_output_tokens }),
    ...(price && { pricing: pricingOf(price) }),
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

/** A field that the service sends as null says nothing, and must not hide what the catalogue knows. */
function withoutNull<T extends object>(fields: T): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)) as T;
}
