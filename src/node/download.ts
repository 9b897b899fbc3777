/** Results as files. */
import { basename, join } from 'node:path';
import type {
  AgentAsyncResult,
  AgentResponse,
  AsyncResult,
  ChatResponse,
  GeneratedImage,
  ImageResponse,
  LayoutResponse,
  ParserResult,
  VideoResult,
  VoiceInfo,
} from '../generated/types.ts';
import { Cancellation } from '../overlay/call/cancellation.ts';
import { settingsOf } from '../overlay/call/reply/response-info.ts';
import { countField } from '../overlay/call/settings/fields.ts';
import type { Client } from '../overlay/client.ts';
import { isSignal } from '../overlay/context.ts';
import { StreamError } from '../overlay/errors/errors.ts';
import { validated, validationError } from '../overlay/errors/problem.ts';
import { openLink } from '../overlay/files/link.ts';
import type { TransferProgress } from '../overlay/files/progress.ts';
import { quietly } from '../overlay/hooks/safety.ts';
import { fieldsOf, isObject } from '../overlay/json/json-value.ts';
import { checkFields, type KnownFields } from '../overlay/json/known-fields.ts';
import { Problem } from '../overlay/json/problem.ts';
import { itemsOf } from '../overlay/streams/items.ts';
import { type Content, contentsOf } from './contents.ts';
import { fileName, nameInLink, numbered, withExtension } from './file-name.ts';
import { checkedPath, type FilePlace, type PlaceOptions, placeOf, writeBlocks } from './place.ts';

const operation = 'download';

/** Results that have files, links as text, and bytes: of a reply, of a stream, or in memory. */
export type Downloadable =
  | ImageResponse
  | GeneratedImage
  | AsyncResult
  | VideoResult
  | ChatResponse
  | ParserResult
  | LayoutResponse
  | AgentResponse
  | AgentAsyncResult
  | VoiceInfo
  | AsyncIterable<Uint8Array>
  | ReadableStream<Uint8Array>
  | Uint8Array
  | Blob
  | URL
  | string;

/** Progress of one file. */
export interface DownloadProgress extends TransferProgress {
  readonly path: string;
}

/** Options of `download`. */
export interface FileDownloadOptions extends PlaceOptions {
  /** Client whose proxy, timeouts and retries apply to links. Default: the client that returned the result. Links as text need it. */
  readonly client?: Client | undefined;
  /** Aborts the download at any stage. */
  readonly signal?: AbortSignal | undefined;
  /** Maximum bytes of a file; 0 disables the limit. Default: 1 GiB. */
  readonly maxBytes?: number | undefined;
  /** Name in a folder, for a file without one. Default: `result`. The extension of the media type is added to a name without one. */
  readonly name?: string | undefined;
  /** Called after each block is written. Errors that it throws are ignored. */
  readonly onProgress?: ((progress: DownloadProgress) => void) | undefined;
}

const known: KnownFields<FileDownloadOptions> = { client: 1, overwrite: 1, signal: 1, maxBytes: 1, name: 1, onProgress: 1 };

/** A file that was written. */
export interface DownloadedFile {
  readonly path: string;
  readonly bytes: number;
  /** Media type; empty if it is unknown. */
  readonly contentType: string;
}

/**
 * Write the files of a result to disk: images, videos, speech, stored files, documents, the files of agents, links and data URLs. Returns the
 * path and the size of each file. For several files, `cat.png` is followed by `cat-2.png`. In a folder, a file has the name in its link.
 *
 * A file is written next to its target with a random name that ends in `.part`, and renamed once it is complete. After a failure the target
 * is as before, and the part is removed. Only a process that is killed leaves it. A file that exists is not replaced, unless `overwrite` is set.
 *
 * Links use the proxy, the timeouts and the retries of the client; their hosts get no key. Throws a ValidationError if the result has no file.
 * Throws an ApiError for a link that has expired, and a StreamError or a ConnectionError for a body that is cut off. A path that cannot be
 * written is a ValidationError with the `code` of the file system and the path.
 *
 * @example
 * const image = await c.images().generate({ model: 'cogview-4', prompt: 'A lighthouse in the rain' });
 * const [file] = await download(image, 'lighthouse.png');
 */
export async function download(result: Downloadable, path: string | URL, options: FileDownloadOptions = {}): Promise<DownloadedFile[]> {
  const [name, contents] = validated(operation, () => {
    checkOptions(options);
    return [checkedPath(path, options), contentsOf(result)] as const;
  });
  const place = await placeOf(operation, name, options);
  // All targets are checked before the first request.
  const places =
    place.kind === 'file'
      ? await Promise.all(contents.map((_, index) => (index === 0 ? place : placeOf(operation, numbered(place.path, index), options))))
      : contents.map(() => place);
  const files: DownloadedFile[] = [];
  for (const [index, content] of contents.entries()) {
    const number = contents.length > 1 ? index : 0;
    files.push(await saved(await opened(content, result, options), places[index] ?? place, number, options));
  }
  return files;
}

function checkOptions(options: FileDownloadOptions): void {
  checkFields(options, known, 'options');
  const { client, signal, maxBytes, name = '', onProgress = quietly } = options;
  if (client !== undefined && typeof client.fetchFile !== 'function') throw new Problem('options.client', 'must be a client of newClient');
  if (signal !== undefined && !isSignal(signal)) throw new Problem('options.signal', 'must be an AbortSignal');
  if (typeof name !== 'string') throw new Problem('options.name', 'must be a string');
  if (typeof onProgress !== 'function') throw new Problem('options.onProgress', 'must be a function');
  countField('options.maxBytes', maxBytes);
}

/** A file to write. */
interface OpenedDownload {
  readonly blocks: AsyncIterable<unknown>;
  readonly type: string;
  readonly size: number | undefined;
  /** The name in its link. */
  readonly name: string | undefined;
  /** Discards the reply of a link. A reply of the caller can still be read. */
  readonly cancel?: () => void;
}

async function opened(content: Content, result: Downloadable, { client, signal }: FileDownloadOptions): Promise<OpenedDownload> {
  if ('bytes' in content) return { blocks: oneBlock(content.bytes), type: content.type, size: content.bytes.length, name: undefined };
  if ('blocks' in content) return { ...content, name: undefined };
  const { link } = content;
  const settings = isObject(result) ? settingsOf(result) : undefined;
  if (!client && !settings)
    throw validationError(operation, new Problem('options.client', 'is missing: only a result of a call has a client of its own'));
  const reply = await (client ? client.fetchFile(signal, link) : openLink(settings as NonNullable<typeof settings>, signal, link));
  return { blocks: reply, type: reply.contentType, size: reply.size, name: nameInLink(link), cancel: () => reply.cancel() };
}

async function* oneBlock(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  yield bytes;
}

async function saved(file: OpenedDownload, place: FilePlace, number: number, options: FileDownloadOptions): Promise<DownloadedFile> {
  const { type, size } = file;
  const { overwrite = false, maxBytes = 2 ** 30, name } = options;
  try {
    if (maxBytes > 0 && size !== undefined && size > maxBytes) throw tooLarge(maxBytes);
    const named = file.name ?? withExtension(fileName(name ?? '') ?? 'result', type);
    const target = place.kind === 'folder' ? await placeOf(operation, join(place.path, numbered(named, number)), options) : place;
    // A name of a link must not choose a folder or a device.
    if (place.kind === 'folder' && target.kind !== 'file')
      throw validationError(operation, new Problem('path', `has a folder or a device named ${basename(target.path)}`));
    const bytes = await writeBlocks(target, overwrite, checkedBlocks(file, target.path, options), options.signal);
    return { path: target.path, bytes, contentType: type };
  } catch (error) {
    file.cancel?.();
    throw error;
  }
}

/** The blocks of a file, with its limit, its progress, and the caller's signal. */
async function* checkedBlocks(
  { blocks, size }: OpenedDownload,
  path: string,
  options: FileDownloadOptions,
): AsyncGenerator<Uint8Array, void, undefined> {
  const { signal, maxBytes = 2 ** 30, onProgress } = options;
  const iterator = itemsOf(operation, blocks, 'result').source;
  const cancellation = new Cancellation(signal ? [signal] : [], operation);
  let received = 0;
  try {
    for (;;) {
      const { done, value: block } = fieldsOf(await cancellation.race(iterator.next()));
      if (done) return;
      if (!(block instanceof Uint8Array))
        throw validationError(operation, new Problem('result', 'has items that are not bytes: pass speechBytes(stream) for a stream of speech'));
      received += block.length;
      if (maxBytes > 0 && received > maxBytes) throw tooLarge(maxBytes);
      yield block;
      quietly(() => onProgress?.({ path, bytes: received, total: size }));
    }
  } finally {
    cancellation.release();
    // Closes the socket of a reply that was not read to its end. A source that waits ends its wait later.
    void Promise.resolve(iterator.return?.()).catch(() => undefined);
  }
}

function tooLarge(maxBytes: number): StreamError {
  return new StreamError(operation, 'too-large', `the file has more than ${maxBytes} bytes`, undefined, 'raise maxBytes');
}
