import { imagesGenerate, imagesGenerateAsync } from '../../generated/routes.ts';
import type { AsyncTask, ImageAsyncRequest, ImageRequest, ImageResponse } from '../../generated/types.ts';
import { requestJson } from '../call/request.ts';
import type { Settings } from '../call/settings.ts';
import type { CallContext } from '../context.ts';
import { Problem } from '../errors/problem.ts';

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
    return requestJson(this.#settings, imagesGenerate, ctx, () => ({ body: request, checkLimits: () => checkSize(request) }));
  }

  /** Start an image generation task. Fetch its `image_result` with `getAsyncResult` or `waitForResult` and the task's `id`. */
  generateAsync(ctx: CallContext, request: ImageAsyncRequest): Promise<AsyncTask> {
    return requestJson(this.#settings, imagesGenerateAsync, ctx, () => ({ body: request, checkLimits: () => checkSize(request) }));
  }
}

/** Sides and pixels of an image by model. Other models have limits that are not documented. */
const sizes: Readonly<Record<string, { readonly step: number; readonly sides?: readonly [least: number, most: number]; readonly pixels: number }>> = {
  'glm-image': { step: 32, pixels: 2 ** 22 },
  'cogview-4-250304': { step: 16, sides: [512, 2048], pixels: 2 ** 21 },
  'cogview-4': { step: 16, sides: [512, 2048], pixels: 2 ** 21 },
  'cogview-3-flash': { step: 16, sides: [512, 2048], pixels: 2 ** 21 },
};

function checkSize({ model, size }: ImageRequest): void {
  const rule = Object.hasOwn(sizes, model) ? sizes[model] : undefined;
  if (!rule || typeof size !== 'string') return;
  const { step, sides, pixels } = rule;
  const [width = 0, height = 0] = size.split('x').map(Number);
  const fits = (side: number): boolean => side % step === 0 && side >= (sides?.[0] ?? step) && side <= (sides?.[1] ?? pixels);
  if (fits(width) && fits(height) && width * height <= pixels) return;
  const range = sides ? `of ${sides[0]} to ${sides[1]} ` : '';
  throw new Problem('size', `must have sides ${range}that are multiples of ${step}, and at most ${pixels} pixels`);
}
