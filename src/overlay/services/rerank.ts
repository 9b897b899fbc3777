import { rerankCreate } from '../../generated/routes.ts';
import type { RerankRequest, RerankResponse } from '../../generated/types.ts';
import { requestJson } from '../call/operations/request-json.ts';
import type { Received } from '../call/reply/response-info.ts';
import type { Extensible } from '../call/request/extensible.ts';
import type { Settings } from '../call/settings/settings.ts';
import { type CallContext, type Called, contextFirst } from '../context.ts';
import { fieldsOf, listOf, textOf } from '../json/json-value.ts';
import { objectsIn } from '../surfaces/answer.ts';
import { unusableReply } from './unusable-reply.ts';

/** Ranking of documents by relevance. */
export class Rerank {
  readonly #settings: Settings;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /**
   * Rank up to 128 documents by relevance to a query. The query and each document have at most 4,096 characters.
   *
   * `results[].index` is the index in `documents`. The texts are returned only with `return_documents`. `top_n` 0 returns all documents.
   * Throws a ReplyError with the reply as `reply` if the service ranks fewer documents than that, or if the document of a result cannot be found. Each
   * document may be ranked once. Other hosts may return fewer.
   */
  create<Names extends PropertyKey = never>(request: Extensible<RerankRequest, Names>): Promise<Received<RerankResponse>>;
  create<Names extends PropertyKey = never>(ctx: CallContext, request: Extensible<RerankRequest, Names>): Promise<Received<RerankResponse>>;
  async create(...given: Called<[request: RerankRequest]>): Promise<Received<RerankResponse>> {
    const [ctx, request] = contextFirst(given, given.length < 2);
    const reply = await requestJson(this.#settings, rerankCreate, ctx, () => ({ body: request }));
    const { documents, top_n: most } = fieldsOf(request);
    const wanted = Math.min(listOf(documents).length, Number(most) || Number.POSITIVE_INFINITY);
    if (!this.#settings.endpoints.chat.isVendor) return reply;
    const ranked = objectsIn<Ranked>(reply.results);
    if (ranked.length < wanted) throw unusableReply(rerankCreate, 'truncated', `the reply ranks ${ranked.length} of ${wanted} documents`, reply);
    const fault = placeResults(ranked, listOf(documents));
    if (fault !== undefined) throw unusableReply(rerankCreate, 'malformed', fault, reply);
    return reply;
  }
}

interface Ranked {
  index?: unknown;
  readonly document?: unknown;
}

/** Gives each result the index of its document. Returns the fault, in words, if the index of one is missing or wrong. */
function placeResults(results: readonly Ranked[], documents: readonly unknown[]): string | undefined {
  const used = new Set<unknown>();
  for (const [at, result] of results.entries()) {
    const { index } = result;
    if (isMissing(index)) continue;
    const place = typeof index === 'string' && /^\d+$/.test(index) ? Number(index) : index;
    const isPlace = typeof place === 'number' && Number.isInteger(place) && place >= 0 && place < documents.length;
    if (!isPlace || used.has(place)) return `results[${at}].index ${isPlace ? `is ${place} again` : 'is not an index of a document'}`;
    if (place !== index) result.index = place;
    used.add(place);
  }
  /** The documents that no index names, by their text, the last first. */
  const free = new Map<string, number[]>();
  for (let place = documents.length - 1; place >= 0; place--) {
    if (used.has(place)) continue;
    const text = textOf(documents[place]);
    const places = free.get(text);
    if (places) places.push(place);
    else if (text !== '') free.set(text, [place]);
  }
  for (const [at, result] of results.entries()) {
    if (!isMissing(result.index)) continue;
    const value = free.get(textOf(result.document) || textOf(fieldsOf(result.document)['text']))?.pop();
    if (value === undefined) return `results[${at}] has no index, and no text of a document`;
    // Not enumerable, so that the result as JSON stays what the service sent.
    Object.defineProperty(result, 'index', { value, enumerable: false, writable: true, configurable: true });
  }
  return undefined;
}

function isMissing(index: unknown): boolean {
  return index === undefined || index === null;
}
