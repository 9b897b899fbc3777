// Reads the log: filters by the facts of the entries, and searches their texts.
import { entryVersion, factsOf, isEntry, type LogEntry, type LogFacts } from './entry.ts';
import { linesIn } from './segments.ts';

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
    for (const line of linesIn(this.#folder, { newestFirst, from: from.slice(0, 7), to: to.slice(0, 7) })) {
      const facts = factsOf(line);
      if (!facts || facts.time < from || facts.time > to || wanted.some(([field, value]) => facts[field] !== value) || seen.has(facts.id)) continue;
      seen.add(facts.id);
      if (facts.v > entryVersion) this.newer++;
      else if (isEntry(facts) && patterns.every((pattern) => textsOf(facts).some((text) => pattern.test(text)))) yield facts;
    }
  }
}

/**
 * A part of a text as one line: its beginning, or what is around the first of the words that it has. Undefined if it has none. Without a length the
 * text is not cut.
 */
export function excerpt(text: string, words: readonly string[], length: number = text.length): string | undefined {
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

/** Finds a text in any case. */
function patternOf(text: string): RegExp {
  return new RegExp(text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'), 'iu');
}
