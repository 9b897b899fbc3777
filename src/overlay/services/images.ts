import { imagesGenerate, imagesGenerateAsync } from '../../generated/routes.ts';
import type { AsyncTask, ImageAsyncRequest, ImageRequest, ImageResponse } from '../../generated/types.ts';
import { requestJson } from '../call/request.ts';
import type { Settings } from '../call/settings.ts';
import type { CallContext } from '../context.ts';

/** Image generation from text. */
export class Images {
  readonly #settings: Settings;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /**
   * Generate an image and wait for it: about 20 seconds in `hd`, 5 to 10 in `standard`. `data[0].url` is valid for 30 days.
   *
   * Every call is billed. A response-header timeout is not retried, because the service may still be generating the image.
   */
  generate(ctx: CallContext, request: ImageRequest): Promise<ImageResponse> {
    return requestJson(this.#settings, imagesGenerate, ctx, () => ({ body: request }));
  }

  /** Start an image generation task. Fetch its `image_result` with `getAsyncResult` or `waitForResult` and the task's `id`. */
  generateAsync(ctx: CallContext, request: ImageAsyncRequest): Promise<AsyncTask> {
    return requestJson(this.#settings, imagesGenerateAsync, ctx, () => ({ body: request }));
  }
}
