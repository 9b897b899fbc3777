import { embeddingsCreate } from '../../generated/routes.ts';
import type { EmbeddingRequest, EmbeddingResponse } from '../../generated/types.ts';
import type { Open } from '../call/open.ts';
import { requestJson } from '../call/request.ts';
import type { Settings } from '../call/settings.ts';
import type { CallContext } from '../context.ts';

/** Text embeddings. */
export class Embeddings {
  readonly #settings: Settings;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /**
   * Convert one or several texts to vectors, in the order of the input. Always sent to the china host with the china key, in every region.
   *
   * `embedding-3` accepts up to 64 texts and returns 2,048 numbers per text, or 1,024, 512 or 256 if `dimensions` asks for it.
   * `embedding-2` always returns 1,024. An account without access to the model gets an ApiError with code 1211.
   *
   * @example
   * ```ts
   * const { data } = await c.embeddings().create(undefined, { model: 'embedding-3', input: ['rain', 'snow'], dimensions: 256 });
   * for (const { index, embedding } of data) console.log(index, embedding?.length);
   * ```
   */
  create(ctx: CallContext, request: Open<EmbeddingRequest>): Promise<EmbeddingResponse> {
    return requestJson(this.#settings, embeddingsCreate, ctx, () => ({ body: request }));
  }
}
