import { embeddingsCreate } from '../../generated/routes.ts';
import type { EmbeddingRequest, EmbeddingResponse } from '../../generated/types.ts';
import { requestJson } from '../call/operations/request-json.ts';
import type { Received } from '../call/reply/response-info.ts';
import type { Extensible } from '../call/request/extensible.ts';
import type { Settings } from '../call/settings/settings.ts';
import { type CallContext, type Called, contextFirst } from '../context.ts';
import { fieldsOf } from '../json/json-value.ts';
import { unusableReply } from './unusable-reply.ts';

/** Text embeddings. */
export class Embeddings {
  readonly #settings: Settings;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /**
   * Convert one or several texts to vectors, in the order of the input. Always sent to the china host with the china key, in every region.
   *
   * `data` is sorted by `index` if the indices match the texts. Otherwise its order is unchanged. Throws a ReplyError if a text has no
   * vector. On the service's hosts it also throws one if vectors differ in length or have a null. `reply` of the error is the billed reply.
   *
   * `embedding-3` accepts up to 64 texts and returns 2,048 numbers per text, or as many as `dimensions` asks for: 1,024, 512 and 256 are
   * documented, 1,000 and 1,536 reported. The global host answers it too (reported): `endpoints: { china: 'https://api.z.ai/api/paas/v4' }`.
   * `embedding-2` always returns 1,024. An account without access to the model gets an ApiError with code 1211.
   *
   * @example
   * ```ts
   * const { data } = await c.embeddings().create({ model: 'embedding-3', input: ['rain', 'snow'], dimensions: 256 });
   * for (const { index, embedding } of data) console.log(index, embedding?.length);
   * ```
   */
  create<Names extends PropertyKey = never>(request: Extensible<EmbeddingRequest, Names>): Promise<Received<EmbeddingResponse>>;
  create<Names extends PropertyKey = never>(ctx: CallContext, request: Extensible<EmbeddingRequest, Names>): Promise<Received<EmbeddingResponse>>;
  async create(...given: Called<[request: EmbeddingRequest]>): Promise<Received<EmbeddingResponse>> {
    const [ctx, request] = contextFirst(given, given.length < 2);
    const input: unknown = request?.input;
    const count = Array.isArray(input) && typeof input[0] !== 'number' ? input.length : 1;
    const response = await requestJson(this.#settings, embeddingsCreate, ctx, () => ({ body: request }));
    sortByIndex(response.data, count);
    const lost = lostTexts(response.data, count);
    const fault = lost ?? (this.#settings.endpoints.china.isVendor ? brokenVector(response.data) : undefined);
    if (fault === undefined) return response;
    throw unusableReply(embeddingsCreate, 'malformed', fault, response);
  }
}

/** A vector with a value that is not a number, or of another length than the first, in words. Such vectors cannot be compared. */
function brokenVector(data: readonly unknown[]): string | undefined {
  const vectors = data.map((entry) => fieldsOf(entry)['embedding']).map((vector) => (Array.isArray(vector) ? (vector as unknown[]) : undefined));
  for (const [at, vector] of vectors.entries()) {
    const gap = vector?.findIndex((value) => typeof value !== 'number' || !Number.isFinite(value)) ?? -1;
    if (gap >= 0) return `data[${at}].embedding[${gap}] is not a number`;
    if (vector?.length !== vectors[0]?.length)
      return `data[${at}].embedding has ${vector?.length ?? 'no'} numbers, and data[0] has ${vectors[0]?.length ?? 'none'}`;
  }
  return undefined;
}

/** The number of vectors and the texts without one, in words. Undefined if each text has one. */
function lostTexts(data: unknown, count: number): string | undefined {
  const entries = (Array.isArray(data) ? data : []).map(fieldsOf);
  // Indices may begin at 1, for instance. Then the order counts.
  const isTold = entries.every(({ index }) => Number.isInteger(index) && (index as number) >= 0 && (index as number) < count);
  const made = new Set(entries.map(({ index, embedding }, at) => ((embedding as unknown[] | undefined)?.length ? (isTold ? index : at) : -1)));
  const lost = Array.from({ length: count }, (_, at) => at).filter((at) => !made.has(at));
  if (lost.length === 0 && entries.length === count) return undefined;
  const isKnown = lost.length > 0 && (isTold || entries.length === count);
  const names = lost.slice(0, 10).map((at) => `input[${at}]`);
  return `the reply has ${entries.length} of ${count} vectors${isKnown ? `: none for ${names}${lost.length > 10 ? ' …' : ''}` : ''}`;
}

/** Sorts entries whose indices are 0 to `count` - 1, each once. Other entries stay as they are. */
function sortByIndex(entries: unknown, count: number): void {
  if (!Array.isArray(entries) || entries.length !== count) return;
  const sorted = new Array<unknown>(count);
  const seen = new Set<unknown>();
  for (const entry of entries as unknown[]) {
    const { index } = fieldsOf(entry);
    if (typeof index !== 'number' || !Number.isInteger(index) || index < 0 || index >= count) return;
    seen.add(index);
    sorted[index] = entry;
  }
  if (seen.size === count) for (const [index, entry] of sorted.entries()) entries[index] = entry;
}
