import { embeddingsCreate } from '../../generated/routes.ts';
import type { EmbeddingRequest, EmbeddingResponse } from '../../generated/types.ts';
import { requestJson } from '../call/request.ts';
import type { Settings } from '../call/settings.ts';
import type { CallContext } from '../context.ts';

/** Text as vectors. */
export class Embeddings {
  readonly #settings: Settings;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /**
   * Turn one text or several into vectors, in the order of the input. Always sent to the china host with the china key, whatever the region.
   *
   * embedding-3 takes up to 64 texts and gives 2048 numbers unless `dimensions` says 1024, 512 or 256; embedding-2 always gives 1024.
   * An account without the model is answered with an ApiError of code 1211.
   */
  create(ctx: CallContext, request: EmbeddingRequest): Promise<EmbeddingResponse> {
    return requestJson(this.#settings, embeddingsCreate, ctx, () => ({ body: request }));
  }
}
