import { rerankCreate } from '../../generated/routes.ts';
import type { RerankRequest, RerankResponse } from '../../generated/types.ts';
import { requestJson } from '../call/request.ts';
import type { Settings } from '../call/settings.ts';
import type { CallContext } from '../context.ts';

/** Documents ordered by relevance. */
export class Rerank {
  readonly #settings: Settings;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /**
   * Order up to 128 documents by relevance to a query; the query and each document have 4,096 characters at most.
   *
   * `results[].index` leads back to the place in `documents`; the texts come back only with `return_documents`. `top_n` 0 returns all.
   */
  create(ctx: CallContext, request: RerankRequest): Promise<RerankResponse> {
    return requestJson(this.#settings, rerankCreate, ctx, () => ({ body: request }));
  }
}
