import { rerankCreate } from '../../generated/routes.ts';
import type { RerankRequest, RerankResponse } from '../../generated/types.ts';
import { requestJson } from '../call/operations/request-json.ts';
import type { Received } from '../call/reply/response-info.ts';
import type { Extensible } from '../call/request/extensible.ts';
import type { Settings } from '../call/settings/settings.ts';
import type { CallContext } from '../context.ts';

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
   */
  create<Names extends PropertyKey = never>(ctx: CallContext, request: Extensible<RerankRequest, Names>): Promise<Received<RerankResponse>> {
    return requestJson(this.#settings, rerankCreate, ctx, () => ({ body: request }));
  }
}
