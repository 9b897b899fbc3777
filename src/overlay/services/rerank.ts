import { rerankCreate } from '../../generated/routes.ts';
import type { RerankRequest, RerankResponse } from '../../generated/types.ts';
import { requestJson } from '../call/operations/request-json.ts';
import { type Received, responseInfo } from '../call/reply/response-info.ts';
import type { Extensible } from '../call/request/extensible.ts';
import type { Settings } from '../call/settings/settings.ts';
import type { CallContext } from '../context.ts';
import { ReplyError } from '../errors/errors.ts';
import { fieldsOf, listOf } from '../json/json-value.ts';
import { objectsIn } from '../surfaces/answer.ts';

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
   * If the service ranks fewer documents than that, it throws a ReplyError with the reply as `reply`. Other hosts may return fewer.
   */
  async create<Names extends PropertyKey = never>(ctx: CallContext, request: Extensible<RerankRequest, Names>): Promise<Received<RerankResponse>> {
    const reply = await requestJson(this.#settings, rerankCreate, ctx, () => ({ body: request }));
    const { documents, top_n: most } = fieldsOf(request);
    const wanted = Math.min(listOf(documents).length, Number(most) || Number.POSITIVE_INFINITY);
    const ranked = objectsIn(reply.results).length;
    if (ranked >= wanted || !this.#settings.endpoints.chat.isVendor) return reply;
    const error = new ReplyError(rerankCreate.id, 'truncated', `the reply ranks ${ranked} of ${wanted} documents`, responseInfo(reply).requestId);
    throw Object.defineProperty(error, 'reply', { value: reply, configurable: true });
  }
}
