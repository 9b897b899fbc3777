import type { FileSource, FileUpload } from '../../generated/types.ts';
import { isFields } from '../json/json-value.ts';
import { Problem } from '../json/problem.ts';

/** A file to send, from any kind of source. */
export interface UploadSource {
  readonly name: string | undefined;
  readonly type: string | undefined;
  /** Size in bytes, if known before reading. */
  readonly size: number | undefined;
  /** True if `open` can be called again. */
  readonly reopens: boolean;
  /** The content, if it is in memory or in a Blob. */
  readonly blobPart: BlobPart | undefined;
  /** Returns the blocks from the start. Their iterator's `return` frees the source immediately, even while a `next` waits. */
  open(): AsyncIterable<Uint8Array> | Promise<AsyncIterable<Uint8Array>>;
}

/** Wraps a `FileSource` without reading it. */
export function uploadSource(path: string, file: FileSource): UploadSource {
  const given: unknown = file;
  if (isBlob(given)) return blobSource(given);
  if (tagOf(given) === 'ArrayBuffer') return bytesSource(new Uint8Array(given as ArrayBuffer));
  if (ArrayBuffer.isView(given)) return bytesSource(new Uint8Array(given.buffer, given.byteOffset, given.byteLength));
  if (isWebStream(given)) {
    if (given.locked) throw new Problem(path, 'is a stream that is already being read');
    return onceSource(() => webBlocks(given));
  }
  if (isAsyncIterable(given)) {
    if ((given as { readableEnded?: boolean; destroyed?: boolean }).readableEnded || (given as { destroyed?: boolean }).destroyed)
      throw new Problem(path, 'is a stream that has already ended');
    return onceSource(() => iterableBlocks(given));
  }
  if (isFileUpload(given)) return uploadOf(path, given);
  const hint = typeof given === 'string' ? '; for a path use fileFromPath of modelsvc/node' : '';
  throw new Problem(path, `must be a Blob, bytes, a stream of bytes or a FileUpload${hint}`);
}

const blockBytes = 256 * 1024;

function blobSource(blob: Blob): UploadSource {
  const name = (blob as Partial<File>).name;
  return {
    name: typeof name === 'string' ? name : undefined,
    type: blob.type === '' ? undefined : blob.type,
    size: blob.size,
    reopens: true,
    // Another realm's Blob would become the text "[object Blob]" inside of one of this realm.
    blobPart: blob instanceof Blob ? blob : undefined,
    open: () => blobBlocks(blob),
  };
}

/** The content of a Blob, also of one without `stream`. */
export function blobBlocks(blob: Blob): AsyncIterable<Uint8Array> {
  return (blob.stream as unknown) ? webBlocks(blob.stream()) : wholeBlob(blob);
}

async function* wholeBlob(blob: Blob): AsyncGenerator<Uint8Array> {
  yield new Uint8Array(await blob.arrayBuffer());
}

function bytesSource(bytes: Uint8Array): UploadSource {
  return {
    name: undefined,
    type: undefined,
    size: bytes.length,
    reopens: true,
    blobPart: bytes as Uint8Array<ArrayBuffer>,
    async *open() {
      yield bytes;
    },
  };
}

function onceSource(open: () => AsyncIterable<Uint8Array>): UploadSource {
  return { name: undefined, type: undefined, size: undefined, reopens: false, blobPart: undefined, open };
}

function uploadOf(path: string, upload: FileUpload): UploadSource {
  const { name, type, size } = upload;
  if (size !== undefined && !(Number.isSafeInteger(size) && size >= 0)) throw new Problem(`${path}.size`, 'must be a non-negative integer (bytes)');
  return { name, type, size, reopens: true, blobPart: undefined, open: () => upload.open() };
}

/** Splits long blocks, so that the progress is reported in smaller steps. */
export function* pieces(block: Uint8Array): Iterable<Uint8Array> {
  for (let at = 0; at < block.length; at += blockBytes) yield block.subarray(at, at + blockBytes);
}

/** Uses a reader, because some browsers cannot iterate a stream, and only `cancel` ends a pending read. */
function webBlocks(stream: ReadableStream<Uint8Array>): AsyncIterable<Uint8Array> {
  const reader = stream.getReader();
  return {
    [Symbol.asyncIterator]: () => ({
      async next() {
        const { done, value } = await reader.read();
        return done ? { done, value: undefined } : { done, value };
      },
      async return() {
        await reader.cancel();
        return { done: true, value: undefined };
      },
    }),
  };
}

/** Node's streams delay a `return` until the pending `next` settles; `destroy` frees them immediately. */
function iterableBlocks(source: AsyncIterable<Uint8Array> & { destroy?: unknown }): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]() {
      const iterator = source[Symbol.asyncIterator]();
      return {
        next: () => iterator.next(),
        async return() {
          if (typeof source.destroy === 'function') source.destroy();
          await iterator.return?.();
          return { done: true, value: undefined };
        },
      };
    },
  };
}

export function isBytes(value: unknown): value is Uint8Array {
  return tagOf(value) === 'Uint8Array';
}

function tagOf(value: unknown): string {
  return Object.prototype.toString.call(value).slice(8, -1);
}

// Not instanceof, because a Blob may be from another realm or a polyfill. Blobs of jsdom have no stream.
export function isBlob(value: unknown): value is Blob {
  return isFields(value) && typeof value['arrayBuffer'] === 'function' && typeof value['size'] === 'number';
}

function isWebStream(value: unknown): value is ReadableStream<Uint8Array> {
  return isFields(value) && typeof value['getReader'] === 'function';
}

function isAsyncIterable(value: unknown): value is AsyncIterable<Uint8Array> {
  return isFields(value) && typeof (value as Partial<AsyncIterable<Uint8Array>>)[Symbol.asyncIterator] === 'function';
}

function isFileUpload(value: unknown): value is FileUpload {
  return isFields(value) && typeof value['open'] === 'function' && typeof value['name'] === 'string';
}
