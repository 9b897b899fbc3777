// Text files, read whole.
import { stat } from 'node:fs/promises';
import { fileProblem } from '../../store/error.ts';
import { type CliError, usageError } from '../errors/exit.ts';
import { wholeFile } from './blocks.ts';

/** Largest text that a command reads into memory, in bytes. */
export const maxTextBytes: number = 32 * 1024 * 1024;

/** Reads a text file. A missing file, a directory and a file beyond the limit are usage errors that name `place`. */
export async function readText(place: string, path: string): Promise<string> {
  const facts = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw usageError(`${place}: ${fileProblem(path, error)}`);
  });
  if (facts.isDirectory()) throw usageError(`${place}: ${path} is a directory`, 'Pass the path of a file.');
  if (facts.size > maxTextBytes) throw usageError(`${place}: ${path} has ${facts.size} bytes; the limit is ${maxTextBytes}`);
  const bytes = await wholeFile(path, facts).catch((error: NodeJS.ErrnoException) => {
    throw usageError(`${place}: ${fileProblem(path, error)}`);
  });
  return decoded(`${place}: ${path}`, bytes);
}

/** Bytes as text, by the rules of `TextReader`. */
export function decoded(place: string, bytes: Uint8Array, imageCure?: string): Promise<string> {
  return new TextReader(place, imageCure).read(bytes, false);
}

/**
 * The text of all bytes that come in as text, block by block. Bytes that are not UTF-8, and zero bytes, are a usage error that names `place`.
 * UTF-16 without a mark passes for UTF-8 with a zero byte in each character. `imageCure` is the advice for an image.
 */
export class TextReader {
  readonly #place: string;
  readonly #imageCure: string;
  readonly #decoder = new TextDecoder('utf-8', { fatal: true });
  #first: Uint8Array | undefined;

  constructor(place: string, imageCure = 'Pass a text.') {
    this.#place = place;
    this.#imageCure = imageCure;
  }

  /** The text of a block, without a character that the next block completes. Call it without a block at the end. */
  async read(block?: Uint8Array, stream: boolean = block !== undefined): Promise<string> {
    this.#first ??= block;
    try {
      const text = this.#decoder.decode(block, { stream });
      if (!text.includes('\0')) return text;
    } catch {
      // It ends as text with a zero byte does.
    }
    throw await this.#refusal(block?.includes(0) === true ? block : (this.#first ?? new Uint8Array()));
  }

  async #refusal(block: Uint8Array): Promise<CliError> {
    const { mediaTypeOf } = await import('modelsvc/node');
    const type = mediaTypeOf(this.#first ?? block);
    if (type?.startsWith('image/')) return usageError(`${this.#place} is an image (${type}), not text`, this.#imageCure);
    const found =
      type !== undefined ? `is ${type}, not text` : isUtf16(block) ? 'is UTF-16 text' : block.includes(0) ? 'is binary' : 'is not UTF-8 text';
    return usageError(`${this.#place} ${found}`, 'Convert it to UTF-8 text first.');
  }
}

/** True for bytes with the mark of UTF-16, or with zero bytes at either odd or even places alone. */
export function isUtf16(bytes: Uint8Array): boolean {
  const [first = 0, second = 0] = bytes;
  if (first + second === 0xff + 0xfe && Math.min(first, second) === 0xfe) return true;
  const zeros = [0, 0];
  for (const [at, byte] of bytes.subarray(0, 1024).entries()) if (byte === 0) zeros[at % 2] = 1;
  return zeros[0] !== zeros[1];
}
