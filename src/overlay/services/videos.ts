import { videosGenerate } from '../../generated/routes.ts';
import type { AsyncTask, VideoRequest } from '../../generated/types.ts';
import { requestJson } from '../call/operations/request-json.ts';
import type { Received } from '../call/reply/response-info.ts';
import type { Extensible } from '../call/request/extensible.ts';
import type { Settings } from '../call/settings/settings.ts';
import { type CallContext, type Called, contextFirst, isModelAlone } from '../context.ts';
import { asDataURI } from '../files/media-type.ts';
import { base64Limits, isLink, isOver } from '../files/upload-limits.ts';
import { Problem } from '../json/problem.ts';

/** Video generation from text and images. */
export class Videos {
  readonly #settings: Settings;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /**
   * Start a video generation task. Fetch its `video_result` with `getAsyncResult` or `waitForResult` and the task's `id`.
   *
   * An image is a link or a data URI; base64 text of a PNG, JPEG or WebP is sent as a data URI. Its size is checked against the documented
   * limit: 5 MB for CogVideoX, 50 MB for Vidu. Every call is billed.
   *
   * @example
   * ```ts
   * const task = await c.videos().generate({ model: 'cogvideox-3', prompt: 'A lighthouse in the rain' });
   * const result = await c.waitForResult(task.id, { maxWait: 600_000 });
   * console.log(result.video_result?.[0]?.url);
   * ```
   */
  generate<Names extends PropertyKey = never>(request: Extensible<VideoRequest, Names>): Promise<Received<AsyncTask>>;
  generate<Names extends PropertyKey = never>(ctx: CallContext, request: Extensible<VideoRequest, Names>): Promise<Received<AsyncTask>>;
  generate(...given: Called<[request: VideoRequest]>): Promise<Received<AsyncTask>> {
    const [ctx, request] = contextFirst(given, given.length < 2 && !isModelAlone(given[0]));
    return requestJson(this.#settings, videosGenerate, ctx, () => {
      const { isVendor } = this.#settings.endpoints.chat;
      const body = withDataURIs(request, isVendor);
      if (isVendor) checkPictures(body);
      return { body };
    });
  }
}

function withDataURIs<Request extends Partial<VideoRequest>>(request: Request, isVendor: boolean): Request {
  const images: unknown = request?.image_url;
  const sent = (path: string, image: unknown): unknown => (typeof image === 'string' && image !== '' ? asDataURI(path, image, isVendor) : image);
  if (images === undefined || images === null) return request;
  const image_url = Array.isArray(images) ? images.map((image, index) => sent(`image_url[${index}]`, image)) : sent('image_url', images);
  return { ...request, image_url };
}

function checkPictures(request: Partial<VideoRequest> | undefined): void {
  const model = request?.model;
  if (typeof model !== 'string') return;
  const maxMB = model.startsWith('cogvideo') ? base64Limits.cogvideoPicture : model.startsWith('vidu') ? base64Limits.viduPicture : undefined;
  const images: unknown = request?.image_url;
  for (const [index, image] of (Array.isArray(images) ? images : [images]).entries())
    if (maxMB !== undefined && typeof image === 'string' && !isLink(image) && isOver(image, maxMB))
      throw new Problem(Array.isArray(images) ? `image_url[${index}]` : 'image_url', `must decode to at most ${maxMB} MB`);
}
