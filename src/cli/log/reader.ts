// Reads the log: filters by the facts of the entries, and searches their texts.
import { join } from 'node:path';
import { entryVersion, factsOf, isEntry, type LogEntry, type LogFacts } from './entry.ts';
import { linesIn, numberOfLine } from './segments.ts';

export interface Filter {
  /** Each occurs in the system prompt, the prompt or the answer, in any case. */
  readonly words?: readonly string[];
  readonly id?: string | undefined;
  readonly conversation?: string | undefined;
  readonly model?: string | undefined;
  readonly command?: string | undefined;
  readonly since?: Date | undefined;
  readonly until?: Date | undefined;
}

export type Order = 'newest first' | 'oldest first';

export class LogReader {
  readonly #folder: string;
  /** Entries of newer versions, which were left out. */
  newer = 0;
  /** Lines left out because they are not an entry: cut off by a kill or a full disk, or changed by another program. */
  unreadable = 0;
  readonly #unreadableIn = new Set<string>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  *entries(filter: Filter, order: Order): Generator<LogEntry, void, undefined> {
    const { words = [], since, until, ...same } = filter;
    const patterns = words.map(patternOf);
    const [from = '', to = '9'] = [since?.toISOString(), until?.toISOString()];
    const wanted = Object.entries(same).filter(([, value]) => value !== undefined) as [keyof LogFacts, string][];
    const newestFirst = order === 'newest first';
    const seen = new Set<string>();
    for (const { line, name } of linesIn(this.#folder, { newestFirst, from: from.slice(0, 7), to: to.slice(0, 7) })) {
      const facts = entryIn(line);
      if (!facts) {
        this.unreadable++;
        this.#unreadableIn.add(name);
        continue;
      }
      if (facts.time < from || facts.time > to || wanted.some(([field, value]) => facts[field] !== value) || seen.has(facts.id)) continue;
      seen.add(facts.id);
      if (facts.v > entryVersion) this.newer++;
      else if (isEntry(facts) && patterns.every((pattern) => textsOf(facts).some((text) => pattern.test(text.normalize())))) yield facts;
    }
  }

  /** The oldest of the lines that were left out: `FILE, line 3`. */
  firstUnreadable(): string {
    const path = join(this.#folder, [...this.#unreadableIn].sort()[0] ?? '');
    return `${path}, line ${numberOfLine(path, (line) => !entryIn(line)) ?? 1}`;
  }
}

/** The facts of an entry of this version with its texts, or of a newer one. */
function entryIn(line: Buffer): LogFacts | undefined {
  const facts = factsOf(line);
  return facts && (facts.v > entryVersion || isEntry(facts)) ? facts : undefined;
}

/**
 * A part of a text as one line: its beginning, or what is around the first of the words that it has. Undefined if it has none. Without a length the
 * text is not cut.
 */
export function excerpt(given: string, words: readonly string[], length: number = given.length): string | undefined {
  const text = given.normalize();
  const found = words.map((word) => text.search(patternOf(word))).find((at) => at >= 0);
  if (found === undefined && words.length > 0) return undefined;
  const start = found === undefined || found < length / 2 ? 0 : found - Math.floor(length / 4);
  const line = text
    .slice(start, start + 2 * length)
    .replace(/\s+/g, ' ')
    .trim();
  const part = Array.from(line).slice(0, length).join('');
  return `${start > 0 ? '…' : ''}${part}${start + 2 * length < text.length || part.length < line.length ? '…' : ''}`;
}

function textsOf({ text }: LogEntry): string[] {
  return [text.system ?? '', text.prompt, text.answer];
}

/** Finds a text in any case. An accent may be a character of its own, so both texts are composed. */
function patternOf(text: string): RegExp {
  return new RegExp(text.normalize().replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'), 'iu');
}
