// biome-ignore-all lint/suspicious/noControlCharactersInRegex: the patterns remove these characters
// Text for terminals: colors, and control characters of foreign text.
import { styleText } from 'node:util';
import { type HelpPage, pipePage } from '../table/help.ts';
import { columnsOf } from './io.ts';

export type Style = 'bold' | 'dim' | 'italic' | 'underline' | 'strikethrough' | 'red' | 'green' | 'yellow' | 'magenta' | 'cyan';

export type Paint = (style: Style, text: string) => string;

export const plain: Paint = (_style, text) => text;
export const painted: Paint = (style, text) => styleText(style, text, { validateStream: false });

/** A unified diff in colors. */
export function paintedDiff(diff: string, paint: Paint): string {
  const styles: Readonly<Record<string, Style>> = { '+': 'green', '-': 'red', '@': 'cyan' };
  return diff.replace(/^[+@-].*$/gm, (line) => {
    const style = styles[line[0] ?? ''];
    return style === undefined || /^(?:\+\+\+|---) /.test(line) ? paint('bold', line) : paint(style, line);
  });
}

interface ColorSource {
  readonly when: string | undefined;
  readonly env: NodeJS.ProcessEnv;
  readonly isTTY: boolean;
  readonly platform?: NodeJS.Platform;
}

/** True if a stream gets colors: `--color`, then NO_COLOR, FORCE_COLOR and TERM, then whether it is a terminal. An empty variable is unset. */
export function wantsColor({ when, env, isTTY, platform = process.platform }: ColorSource): boolean {
  const { NO_COLOR, FORCE_COLOR, TERM } = env;
  if (when === 'always') return true;
  if (when === 'never' || NO_COLOR) return false;
  if (FORCE_COLOR) return !/^(?:0|false)$/i.test(FORCE_COLOR);
  // Terminals of Windows set no TERM.
  return isTTY && (TERM ? TERM !== 'dumb' : platform === 'win32');
}

/** The place of a help text: as wide as the terminal, up to a width that is read easily. */
export function pageOf(stream: NodeJS.WriteStream, env: NodeJS.ProcessEnv, when: string | undefined): HelpPage {
  const isTTY = stream.isTTY === true;
  const width = isTTY ? Math.max(30, Math.min(columnsOf(stream), 100)) : pipePage.width;
  return { width, bold: wantsColor({ when, env, isTTY }) ? (text) => painted('bold', text) : pipePage.bold };
}

/** Each introducer of two characters also has a form of one, from U+0090 to U+009F. */
const sequences =
  /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|(?:\x1b\]|\x9d)[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?|(?:\x1b[PX^_]|[\x90\x98\x9e\x9f])[^\x1b\x9c]*(?:\x1b\\|\x9c)?|\x1b[ -/]*[0-~]?/g;
/** Control characters beyond ASCII, and marks that reorder text. */
const marks = /[\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
const controls = new RegExp(`[\x00-\x08\x0b-\x1f]|${marks.source}`, 'g');

/** Foreign text without escape sequences, control characters and marks that reorder text. Line feeds and tabs stay. */
export function cleaned(text: string): string {
  return text.replace(sequences, '').replace(controls, '');
}

/** Text of a command as `cleaned` leaves it, with its colors. */
export function cleanedInColor(text: string): string {
  return text
    .split(/(\x1b\[[\d;]*m)/)
    .map((part, at) => (at % 2 === 0 ? cleaned(part) : part))
    .join('');
}

export function hasMarks(text: string): boolean {
  return text.search(marks) >= 0;
}

/** Writes the characters that a terminal would obey as escapes of JSON. Also for YAML with such texts in double quotes. The value stays the same. */
export function escaped(json: string): string {
  return json.replace(marks, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** A sequence without its end. Tested from the last escape character of a text on. */
const open = /^(?:(?:\x1b\[|\x9b)[0-?]*[ -/]*|(?:\x1b\]|\x9d)[^\x07\x9c]*|(?:\x1b[PX^_]|[\x90\x98\x9e\x9f])[^\x9c]*|\x1b[ -/]*)$/;
/** A character that begins a sequence, and the text after it. */
const lastBeginning = /[\x1b\x90\x98\x9b\x9d-\x9f][^\x1b\x90\x98\x9b\x9d-\x9f]*$/;

/** Cleans a text that arrives in pieces: an escape sequence may be split between two. */
export class PieceCleaner {
  #held = '';

  push(piece: string): string {
    const text = this.#held + piece;
    const start = text.search(lastBeginning);
    // A sequence that is still open at the end waits for the next piece, up to a bound.
    const isOpen = start >= 0 && text.length - start < 256 && open.test(text.slice(start));
    this.#held = isOpen ? text.slice(start) : '';
    return cleaned(isOpen ? text.slice(0, start) : text);
  }

  end(): string {
    const rest = this.#held;
    this.#held = '';
    return cleaned(rest);
  }
}
