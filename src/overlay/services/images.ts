import { imagesGenerate, imagesGenerateAsync } from '../../generated/routes.ts';
import type { AsyncTask, ImageAsyncRequest, ImageRequest, ImageResponse } from '../../generated/types.ts';
import { requestJson } from '../call/operations/request-json.ts';
import type { Received } from '../call/reply/response-info.ts';
import type { Extensible } from '../call/request/extensible.ts';
import type { Settings } from '../call/settings/settings.ts';
import { type CallContext, type Called, contextFirst } from '../context.ts';
import { Problem } from '../json/problem.ts';
import { hasLink } from './jobs.ts';
import { unusableReply } from './unusable-reply.ts';

/** Image generation from text. */
export class Images {
  readonly #settings: Settings;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /**
   * Generate an image and wait for it: about 20 seconds in `hd`, 5 to 10 in `standard`. `data[0].url` is valid for 30 days.
   *
   * On the service's hosts a picture without a link is a ReplyError with the reply as `reply`.
   * Every call is billed. A response-header timeout is not retried, because the service may still be generating the image.
   *
   * @example
   * ```ts
   * const image = await c.images().generate({ model: 'cogview-4', prompt: 'A lighthouse in the rain', size: '1024x1024' });
   * console.log(image.data[0]?.url);
   * ```
   */
  generate<Names extends PropertyKey = never>(request: Extensible<ImageRequest, Names>): Promise<Received<ImageResponse>>;
  generate<Names extends PropertyKey = never>(ctx: CallContext, request: Extensible<ImageRequest, Names>): Promise<Received<ImageResponse>>;
  async generate(...given: Called<[request: ImageRequest]>): Promise<Received<ImageResponse>> {
    const [ctx, request] = contextFirst(given, given.length < 2);
    const reply = await requestJson(this.#settings, imagesGenerate, ctx, () => this.#input(request));
    if (!this.#settings.endpoints.chat.isVendor || hasLink(reply.data)) return reply;
    throw unusableReply(imagesGenerate, 'malformed', 'the picture has no link', reply);
  }

  /** Start an image generation task. Fetch its `image_result` with `getAsyncResult` or `waitForResult` and the task's `id`. */
  generateAsync<Names extends PropertyKey = never>(request: Extensible<ImageAsyncRequest, Names>): Promise<Received<AsyncTask>>;
  generateAsync<Names extends PropertyKey = never>(ctx: CallContext, request: Extensible<ImageAsyncRequest, Names>): Promise<Received<AsyncTask>>;
  generateAsync(...given: Called<[request: ImageAsyncRequest]>): Promise<Received<AsyncTask>> {
    const [ctx, request] = contextFirst(given, given.length < 2);
    return requestJson(this.#settings, imagesGenerateAsync, ctx, () => this.#input(request));
  }

  #input<Request extends ImageRequest>(request: Request): { readonly body: Request } {
    if (this.#settings.endpoints.chat.isVendor) checkSize(request);
    return { body: request };
  }
}

const cogviews: readonly unknown[] = ['cogview-4-250304', 'cogview-4', 'cogview-3-flash'];

/** Other models have limits that are not documented, and other hosts limits of their own. */
function checkSize(request: ImageRequest | undefined): void {
  const { model, size } = request ?? {};
  if (typeof size !== 'string') return;
  if (!/^\d+x\d+$/.test(size)) throw new Problem('size', 'must be a width and a height in pixels, for instance 1024x1024');
  const isOther = cogviews.includes(model);
  if (!isOther && model !== 'glm-image') return;
  const [step, least, most, pixels] = isOther ? [16, 512, 2048, 2 ** 21] : [32, 32, 2 ** 22, 2 ** 22];
  const [width = 0, height = 0] = size.split('x').map(Number);
  const fits = (side: number): boolean => side % step === 0 && side >= least && side <= most;
  if (fits(width) && fits(height) && width * height <= pixels) return;
  throw new Problem('size', `must have sides ${isOther ? 'of 512 to 2048 ' : ''}that are multiples of ${step}, and at most ${pixels} pixels`);
}
