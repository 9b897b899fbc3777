import { videosGenerate } from '../../generated/routes.ts';
import type { AsyncTask, VideoRequest } from '../../generated/types.ts';
import { requestJson } from '../call/operations/request-json.ts';
import type { Received } from '../call/reply/response-info.ts';
import type { Extensible } from '../call/request/extensible.ts';
import type { Settings } from '../call/settings/settings.ts';
import type { CallContext } from '../context.ts';
import { Problem } from '../errors/problem.ts';
import { base64Limits, isLink, isOver } from '../files/upload-limits.ts';

/** Video generation from text and images. */
export class Videos {
  readonly #settings: Settings;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /**
   * Start a video generation task. Fetch its `video_result` with `getAsyncResult` or `waitForResult` and the task's `id`.
   *
   * A base64 image is checked against its documented size limit: 5 MB for CogVideoX, 50 MB for Vidu. Every call is billed.
   *
   * @example
   * ```ts
   * const task = await c.videos().generate(undefined, { model: 'cogvideox-3', prompt: 'A lighthouse in the rain' });
   * const result = await c.waitForResult(undefined, task.id, { maxWait: 600_000 });
   * console.log(result.video_result?.[0]?.url);
   * ```
   */
  async generate<Names extends PropertyKey = never>(ctx: CallContext, request: Extensible<VideoRequest, Names>): Promise<Received<AsyncTask>> {
    return requestJson(this.#settings, videosGenerate, ctx, () => {
      if (this.#settings.endpoints.chat.isVendor) checkPictures(request);
      return { body: request };
    });
  }
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
