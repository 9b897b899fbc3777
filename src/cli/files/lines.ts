// Lines of a byte stream of any length, with bounded memory.

import { fileProblem, isSystemError } from '../../store/error.ts';
import { usageError } from '../errors/exit.ts';
import { maxTextBytes, TextReader } from './text.ts';

/** A line without its line feed. `isWhole` is false for a last line that has none. */
export interface InputLine {
  readonly text: string;
  readonly isWhole: boolean;
}

export interface LinesOptions {
  /** Name of the source in errors. */
  readonly place: string;
  /** Bytes that `TextReader` refuses are an error. Otherwise those that are not UTF-8 become U+FFFD. */
  readonly strict: boolean;
}

/** Splits at line feeds only: U+2028 belongs to the line. */
export async function* linesOf(source: AsyncIterable<Uint8Array>, { place, strict }: LinesOptions): AsyncGenerator<InputLine, void, undefined> {
  const reader = new TextReader(place);
  const decoder = new TextDecoder();
  const decode = async (block?: Uint8Array): Promise<string> =>
    strict ? reader.read(block) : decoder.decode(block, { stream: block !== undefined });
  // Pieces of the open line: joined once, so that a long line takes linear time.
  let open: string[] = [];
  let length = 0;
  const add = (text: string): void => {
    length += text.length;
    if (length > maxTextBytes) throw usageError(`${place} has a line of more than ${maxTextBytes} characters`);
    open.push(text);
  };
  const take = (): string => {
    const text = open.join('');
    open = [];
    length = 0;
    return text;
  };
  try {
    for await (const block of source) {
      const parts = (await decode(block)).split('\n');
      for (const [at, part] of parts.entries()) {
        add(part);
        if (at < parts.length - 1) yield { text: take(), isWhole: true };
      }
    }
  } catch (error) {
    throw isSystemError(error) ? usageError(fileProblem(place, error)) : error;
  }
  add(await decode());
  const last = take();
  if (last !== '') yield { text: last, isWhole: false };
}
