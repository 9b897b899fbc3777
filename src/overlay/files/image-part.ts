// Images as parts of a request: the bytes in base64, with the media type of their signature.
import type { AnthropicContentBlock, ContentPart, FileSource } from '../../generated/types.ts';
import { joined } from '../call/reply/body.ts';
import { validationError } from '../errors/problem.ts';
import { checkFields, type KnownFields } from '../json/known-fields.ts';
import { Problem } from '../json/problem.ts';
import { pageTypeOf } from './media-type.ts';
import { isBytes, uploadSource } from './upload-source.ts';

/** Limits the memory for a source that is not an image. The limits of the models are lower. */
const maxMB = 50;

/** Options of `imagePart` and `imageBlock`. */
export interface ImageOptions {
  /** Media type of the image, for instance `image/bmp`. Default: the type of the bytes' signature, for PNG, JPEG, GIF and WebP. */
  readonly mediaType?: string | undefined;
}

const imageFields: KnownFields<ImageOptions> = { mediaType: 1 };

/**
 * An image from bytes, for a chat message: a part `{ type: 'image_url', image_url: { url: 'data:image/png;base64,…' } }`.
 *
 * `source` is bytes, a Blob or File, a stream of bytes, or a FileUpload such as `fileFromPath(path)` of `modelsvc/node`. For an image with a
 * URL write the part yourself: `{ type: 'image_url', image_url: { url } }`. The vendor's vision models accept JPG and PNG under 5 MB.
 *
 * Throws a ValidationError if the image is empty, larger than 50 MB, unreadable, or of an unknown type without `mediaType`.
 *
 * @example
 * const content = [{ type: 'text', text: 'Describe the picture.' }, await imagePart(fileFromPath('harbor.png'))];
 * await c.chat().create(ctx, { model: 'glm-5.3-flash', messages: [{ role: 'user', content }] });
 */
export async function imagePart(source: FileSource, options?: ImageOptions): Promise<ContentPart> {
  const { mediaType, data } = await readImage('imagePart', source, options);
  return { type: 'image_url', image_url: { url: `data:${mediaType};base64,${data}` } };
}

/**
 * An image from bytes, for the message surface: `{ type: 'image', source: { type: 'base64', media_type: 'image/png', data } }`. Sources,
 * options and errors are the same as for `imagePart`.
 *
 * @example
 * const content = [await imageBlock(bytes), { type: 'text', text: 'Describe the picture.' }];
 * await c.anthropic().create(ctx, { model: 'glm-5.3-flash', max_tokens: 500, messages: [{ role: 'user', content }] });
 */
export async function imageBlock(source: FileSource, options?: ImageOptions): Promise<AnthropicContentBlock> {
  const { mediaType, data } = await readImage('imageBlock', source, options);
  return { type: 'image', source: { type: 'base64', media_type: mediaType, data } };
}

async function readImage(operation: string, source: FileSource, options: ImageOptions = {}): Promise<{ mediaType: string; data: string }> {
  try {
    checkFields(options, imageFields, 'options');
    const { mediaType: given } = options;
    if (given !== undefined && !/^image\/[\w.+-]+$/.test(given))
      throw new Problem('mediaType', 'must be the media type of an image, for instance image/png');
    const bytes = await readBytes(source);
    const mediaType = given ?? pageTypeOf(bytes);
    if (!mediaType?.startsWith('image/')) throw new Problem('source', 'is not a PNG, JPEG, GIF or WebP image; for another kind set mediaType');
    return { mediaType, data: base64(bytes) };
  } catch (error) {
    throw error instanceof Problem ? validationError(operation, error) : error;
  }
}

async function readBytes(source: FileSource): Promise<Uint8Array> {
  const { size: known = 0, open } = uploadSource('source', source);
  const blocks: Uint8Array[] = [];
  let size = 0;
  const check = (bytes: number): void => {
    if (bytes > maxMB * 1024 * 1024) throw new Problem('source', `must be at most ${maxMB} MB`);
  };
  check(known);
  try {
    for await (const block of await open()) {
      if (!isBytes(block)) throw new Problem('source', 'returned a block that is not bytes');
      size += block.length;
      check(size);
      // A copy, because a source may use its buffer again.
      blocks.push(block.slice());
    }
  } catch (cause) {
    throw cause instanceof Problem ? cause : new Problem('source', 'could not be read', cause);
  }
  if (size === 0) throw new Problem('source', 'is empty');
  return joined(blocks, size);
}

/** Not `btoa`, which needs the bytes as a string and takes several times as long. */
function base64(bytes: Uint8Array): string {
  const letters = new TextEncoder().encode('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/');
  const padding = (3 - (bytes.length % 3)) % 3;
  const text = new Uint8Array(((bytes.length + padding) / 3) * 4);
  for (let at = 0, to = 0; at < bytes.length; at += 3) {
    const bits = ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
    for (let shift = 18; shift >= 0; shift -= 6) text[to++] = letters[(bits >> shift) & 63] ?? 0;
  }
  return new TextDecoder().decode(text.fill(61, text.length - padding));
}
