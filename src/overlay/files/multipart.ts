// The body of an upload: a form that streams its file.
import { isModelsvcError } from '../errors/guards.ts';
import { Problem } from '../errors/problem.ts';
import type { UploadBody } from '../transport/transport.ts';
import { type OnProgress, report } from './progress.ts';
import { isBytes, pieces, type UploadSource } from './upload-source.ts';

/** A text field of a form. */
export interface FormField {
  readonly name: string;
  readonly text: string;
}

/** The one file of a form. */
export interface FormFile {
  readonly name: string;
  readonly source: UploadSource;
  readonly filename: string;
  readonly type: string;
}

/** A `multipart/form-data` body that streams its file without buffering it. Its length is known if the size of the file is known. */
export class MultipartBody implements UploadBody {
  readonly contentType: string;
  readonly contentLength: number | undefined;
  readonly parts: readonly (FormField | FormFile)[];
  failure: Error | undefined;
  readonly #head: Uint8Array;
  readonly #file: FormFile | undefined;
  readonly #tail: Uint8Array;
  readonly #onProgress: OnProgress | undefined;
  #opened = false;
  #reading: Reading | undefined;

  constructor(parts: readonly (FormField | FormFile)[], onProgress?: OnProgress) {
    const boundary = randomBoundary();
    const at = parts.findIndex(isFile);
    const file = at < 0 ? undefined : (parts[at] as FormFile);
    const encoder = new TextEncoder();
    const fields = (list: readonly (FormField | FormFile)[]): string => list.map((part) => fieldText(boundary, part as FormField)).join('');
    this.parts = parts;
    this.#file = file;
    this.#onProgress = onProgress;
    this.#head = encoder.encode(fields(file ? parts.slice(0, at) : parts) + (file ? fileHead(boundary, file) : ''));
    this.#tail = encoder.encode(`${file ? `\r\n${fields(parts.slice(at + 1))}` : ''}--${boundary}--\r\n`);
    this.contentType = `multipart/form-data; boundary=${boundary}`;
    const size = file ? file.source.size : 0;
    this.contentLength = size === undefined ? undefined : this.#head.length + size + this.#tail.length;
  }

  get replayable(): boolean {
    return !this.#opened || this.#file === undefined || this.#file.source.reopens;
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
    const type = this.contentType;
    if (!this.#file) return new Blob([this.#head, this.#tail] as BlobPart[], { type });
    const { blobPart } = this.#file.source;
    return blobPart === undefined ? undefined : new Blob([this.#head, blobPart, this.#tail] as BlobPart[], { type });
  }

  async *#blocks(reading: Reading): AsyncGenerator<Uint8Array> {
    // The head is sent first, so that a failed connection does not consume a source that can be read only once.
    if (this.#head.length > 0) yield this.#head;
    if (this.#file) yield* this.#content(this.#file, reading);
    // Without a content length, ending here would make an incomplete file look complete.
    if (reading.closed) throw new TypeError('the upload body was closed');
    yield this.#tail;
    reading.done();
  }

  async *#content(file: FormFile, reading: Reading): AsyncGenerator<Uint8Array> {
    if (reading.closed) return;
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
          report(this.#onProgress, sent, size);
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

function isFile(part: FormField | FormFile): part is FormFile {
  return 'source' in part;
}

function fieldText(boundary: string, field: FormField): string {
  return `--${boundary}\r\ncontent-disposition: form-data; name=${quoted(field.name)}\r\n\r\n${field.text}\r\n`;
}

function fileHead(boundary: string, file: FormFile): string {
  const disposition = `form-data; name=${quoted(file.name)}; filename=${quoted(baseName(file.filename))}`;
  return `--${boundary}\r\ncontent-disposition: ${disposition}\r\ncontent-type: ${file.type}\r\n\r\n`;
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
