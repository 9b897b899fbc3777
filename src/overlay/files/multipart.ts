// The body of an upload: a form that streams its file.
import { isModelsvcError } from '../errors/guards.ts';
import { Problem } from '../json/problem.ts';
import type { UploadBody } from '../transport/transport.ts';
import { type OnProgress, report } from './progress.ts';
import { isBytes, pieces, type UploadSource } from './upload-source.ts';

/** A field of a form that is not a file. */
export interface FormField {
  readonly name: string;
  readonly text: string;
  /** Media type of its part. A text has none by default. */
  readonly type?: string | undefined;
}

/** A file of a form. */
export interface FormFile {
  readonly name: string;
  readonly source: UploadSource;
  /** Without folders. */
  readonly filename: string;
  readonly type: string;
}

/** A `multipart/form-data` body that streams its files without buffering them. Its length is known if the size of each file is known. */
export class MultipartBody implements UploadBody {
  readonly contentType: string;
  readonly contentLength: number | undefined;
  readonly parts: readonly (FormField | FormFile)[];
  failure: Error | undefined;
  /** Files, and the text between them. The first and the last one are text. */
  readonly #segments: readonly (Uint8Array | FormFile)[];
  readonly #files: readonly FormFile[];
  readonly #fileBytes: number | undefined;
  readonly #onProgress: OnProgress | undefined;
  #opened = false;
  #reading: Reading | undefined;

  constructor(parts: readonly (FormField | FormFile)[], onProgress?: OnProgress) {
    const boundary = randomBoundary();
    const encoder = new TextEncoder();
    const segments: (Uint8Array | FormFile)[] = [];
    let text = '';
    for (const part of parts) {
      text += headOf(boundary, part);
      if (isFile(part)) {
        segments.push(encoder.encode(text), part);
        text = '\r\n';
      } else text += `${part.text}\r\n`;
    }
    segments.push(encoder.encode(`${text}--${boundary}--\r\n`));
    this.parts = parts;
    this.contentType = `multipart/form-data; boundary=${boundary}`;
    this.contentLength = sumOf(segments.map((one) => (isFile(one) ? one.source.size : one.length)));
    this.#segments = segments;
    this.#files = parts.filter(isFile);
    this.#fileBytes = sumOf(this.#files.map(({ source }) => source.size));
    this.#onProgress = onProgress;
  }

  get replayable(): boolean {
    return !this.#opened || this.#files.every(({ source }) => source.reopens);
  }

  open(): AsyncIterable<Uint8Array> {
    this.close();
    this.failure = undefined;
    const reading = new Reading();
    this.#reading = reading;
    return this.#blocks(reading);
  }

  close(): boolean {
    return this.#reading?.close() ?? false;
  }

  blob(): Blob | undefined {
    const parts = this.#segments.map((one) => (isFile(one) ? one.source.blobPart : one));
    return parts.includes(undefined) ? undefined : new Blob(parts as BlobPart[], { type: this.contentType });
  }

  async *#blocks(reading: Reading): AsyncGenerator<Uint8Array> {
    // Text is sent before a file is opened, so that a failed connection does not consume a source that can be read only once.
    for (const segment of this.#segments) {
      // Without a content length, ending here would make an incomplete file look complete.
      if (reading.closed) throw new TypeError('the upload body was closed');
      if (isFile(segment)) yield* this.#content(segment, reading);
      else yield segment;
    }
    reading.done();
  }

  async *#content(file: FormFile, reading: Reading): AsyncGenerator<Uint8Array> {
    this.#opened = true;
    const { size } = file.source;
    let sent = 0;
    try {
      const blocks = reading.hold(await file.source.open());
      for (let next = await blocks.next(); !next.done; next = await blocks.next()) {
        if (reading.closed) return;
        if (!isBytes(next.value)) throw new Problem(file.name, 'returned a block that is not bytes');
        if (size !== undefined && sent + next.value.length > size) throw new Problem(file.name, `has more bytes than its size of ${size}`);
        for (const piece of pieces(next.value)) {
          yield piece;
          sent += piece.length;
          report(this.#onProgress, (reading.sent += piece.length), this.#fileBytes);
        }
      }
      reading.letGo();
      if (!reading.closed && size !== undefined && sent !== size) throw new Problem(file.name, `ended after ${sent} of ${size} bytes`);
    } catch (cause) {
      if (reading.closed) return;
      this.failure = cause instanceof Problem || isModelsvcError(cause) ? cause : new Problem(file.name, 'could not be read', cause);
      throw this.failure;
    } finally {
      reading.free();
    }
  }
}

/** One pass over the body. It can be closed while it waits for its source. */
class Reading {
  closed = false;
  /** Bytes of files. */
  sent = 0;
  #whole = false;
  #source: AsyncIterator<Uint8Array> | undefined;

  hold(blocks: AsyncIterable<Uint8Array>): AsyncIterator<Uint8Array> {
    this.#source = blocks[Symbol.asyncIterator]();
    if (this.closed) this.free();
    return this.#source ?? { next: () => Promise.resolve({ done: true, value: undefined }) };
  }

  done(): void {
    this.#whole = true;
  }

  /** Forgets the source, which has ended. */
  letGo(): void {
    this.#source = undefined;
  }

  /** Frees the source. Its errors are ignored. */
  free(): void {
    const source = this.#source;
    this.#source = undefined;
    Promise.resolve(source?.return?.()).catch(() => undefined);
  }

  /** Ends the pass. Returns true if it was incomplete. */
  close(): boolean {
    if (this.#whole || this.closed) return false;
    this.closed = true;
    this.free();
    return true;
  }
}

export function isFile(part: FormField | FormFile | Uint8Array): part is FormFile {
  return 'source' in part;
}

/** The sum of sizes. Undefined if one is unknown. */
function sumOf(sizes: readonly (number | undefined)[]): number | undefined {
  return sizes.reduce((sum, size) => (sum === undefined || size === undefined ? undefined : sum + size), 0);
}

function headOf(boundary: string, part: FormField | FormFile): string {
  const filename = isFile(part) ? `; filename=${quoted(part.filename)}` : '';
  const type = part.type === undefined ? '' : `\r\ncontent-type: ${part.type}`;
  return `--${boundary}\r\ncontent-disposition: form-data; name=${quoted(part.name)}${filename}${type}\r\n\r\n`;
}

/** Escapes a name as browsers do, because a quote or a line break must not end the header. */
function quoted(text: string): string {
  return `"${text.replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll('"', '%22')}"`;
}

/** The last segment of a path, without control characters. */
export function baseName(path: string): string {
  // Line breaks are kept and escaped later, as in browsers.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to remove
  const name = (path.split(/[\\/]/).at(-1) ?? '').replace(/[\u0000-\u0009\u000b\u000c\u000e-\u001f\u007f]/g, '');
  return name === '' || name === '.' || name === '..' ? 'file' : name;
}

function randomBoundary(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `----modelsvc${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
