import { layoutHandwritingOCR, layoutParse } from '../../generated/routes.ts';
import type { HandwritingRequest, HandwritingResponse, LayoutRequest, LayoutResponse } from '../../generated/types.ts';
import { requestJson } from '../call/operations/request-json.ts';
import type { Received } from '../call/reply/response-info.ts';
import type { Extensible } from '../call/request/extensible.ts';
import type { Settings } from '../call/settings/settings.ts';
import { type CallContext, type Called, contextFirst } from '../context.ts';
import { asDataURI } from '../files/media-type.ts';
import { base64Limits, isLink, isOver } from '../files/upload-limits.ts';
import { type UploadOptions, uploadInput } from '../files/upload-request.ts';
import { Problem } from '../json/problem.ts';

/** Text and layout blocks from images and PDF files. */
export class Layout {
  readonly #settings: Settings;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /**
   * Convert an image or PDF to Markdown and positioned blocks. `file` is a link or a data URI, not an upload. Base64 text of a PDF, PNG or JPEG
   * is sent as a data URI. The limit is 10 MB for an image, and 50 MB and 100 pages for a PDF; a link is not checked. Every call is billed.
   */
  parse<Names extends PropertyKey = never>(request: Extensible<LayoutRequest, Names>): Promise<Received<LayoutResponse>>;
  parse<Names extends PropertyKey = never>(ctx: CallContext, request: Extensible<LayoutRequest, Names>): Promise<Received<LayoutResponse>>;
  parse(...given: Called<[request: LayoutRequest]>): Promise<Received<LayoutResponse>> {
    const [ctx, request] = contextFirst(given, given.length < 2);
    return requestJson(this.#settings, layoutParse, ctx, () => {
      const file: unknown = request?.file;
      if (typeof file !== 'string' || file === '') return { body: request };
      const { isVendor } = this.#settings.endpoints.chat;
      const body = { ...request, file: asDataURI('file', file, isVendor) };
      if (isVendor) checkSize(body.file);
      return { body };
    });
  }

  /**
   * Read handwriting in an image, line by line with positions in pixels. Throws an ApiError if the image cannot be read.
   * Every call is billed. Documented for the china host only.
   */
  handwritingOCR<Names extends PropertyKey = never>(
    request: Extensible<HandwritingRequest & UploadOptions, Names>,
  ): Promise<Received<HandwritingResponse>>;
  handwritingOCR<Names extends PropertyKey = never>(
    ctx: CallContext,
    request: Extensible<HandwritingRequest & UploadOptions, Names>,
  ): Promise<Received<HandwritingResponse>>;
  handwritingOCR(...given: Called<[request: HandwritingRequest & UploadOptions]>): Promise<Received<HandwritingResponse>> {
    const [ctx, request] = contextFirst(given, given.length < 2);
    return requestJson(this.#settings, layoutHandwritingOCR, ctx, () => uploadInput(layoutHandwritingOCR, request));
  }
}

function checkSize(file: string): void {
  const maxMB = file.startsWith('data:application/pdf') ? base64Limits.layoutPDF : base64Limits.layoutPicture;
  if (!isLink(file) && isOver(file, maxMB)) throw new Problem('file', `must decode to at most ${maxMB} MB`);
}
