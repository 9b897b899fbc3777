// Reads the log: filters by the facts of the entries, and searches their texts by scanning the files.
import { beforeTexts, entryOf, entryVersion, factsOf, type LogEntry, type LogFacts } from './entry.ts';
import { blocksOf } from './segments.ts';

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

  /** The entries without their texts. `words` is not applied. */
  *facts(filter: Filter, order: Order): Generator<LogFacts, void, undefined> {
    for (const { facts } of this.#found(filter, order)) yield facts;
  }

  *entries(filter: Filter, order: Order): Generator<LogEntry, void, undefined> {
    const { words = [] } = filter;
    const patterns = words.map((word) => new RegExp(patternOf(word, (text) => text)));
    for (const { line } of this.#found(filter, order)) {
      const entry = entryOf(line);
      if (entry && patterns.every((pattern) => textsOf(entry).some((text) => pattern.test(text)))) yield entry;
    }
  }

  *#found(filter: Filter, order: Order): Generator<{ readonly facts: LogFacts; readonly line: Buffer }, void, undefined> {
    const { words = [], since, until, ...same } = filter;
    const [from = '', to = '9'] = [since?.toISOString(), until?.toISOString()];
    const wanted = Object.entries(same).filter(([, value]) => value !== undefined) as [keyof LogFacts, string][];
    const newestFirst = order === 'newest first';
    const seen = new Set<string>();
    for (const block of blocksOf(this.#folder, { newestFirst, from: from.slice(0, 7), to: to.slice(0, 7) })) {
      const lines = [...candidates(block, words, same.id ?? same.conversation ?? '')];
      for (const line of newestFirst ? lines.reverse() : lines) {
        const facts = factsOf(line);
        if (!facts || facts.time < from || facts.time > to || wanted.some(([field, value]) => facts[field] !== value) || seen.has(facts.id)) continue;
        seen.add(facts.id);
        if (facts.v > entryVersion) this.newer++;
        else yield { facts, line };
      }
    }
  }
}

/**
 * A part of a text as one line: its beginning, or what is around the first of the words that it has. Undefined if it has none. Without a length the
 * text is not cut.
 */
export function excerpt(text: string, words: readonly string[], length: number = text.length): string | undefined {
  const found = words.map((word) => text.search(new RegExp(patternOf(word, (form) => form)))).find((at) => at >= 0);
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

/** The lines whose texts contain all words; without words, those with an id. A few others may be among them. */
function* candidates(block: Buffer, words: readonly string[], id: string): Generator<Buffer, void, undefined> {
  // One character a byte: ten times as fast as decoding UTF-8.
  const text = block.toString('latin1');
  // Only the name of a field is followed by a quote and a colon: quotes of a text are escaped.
  const patterns = [...words].sort((a, b) => b.length - a.length).map((word) => `${patternOf(word, lineText)}(?!\\w*":)`);
  const pattern = new RegExp(patterns[0] ?? (id === '' ? '^\\{' : patternOf(id, lineText)), 'gm');
  const others = patterns.slice(1).map((other) => new RegExp(other));
  // A rare word spares the lines of most blocks.
  if (!others.every((other) => other.test(text))) return;
  for (let found = pattern.exec(text); found; found = pattern.exec(text)) {
    const start = text.lastIndexOf('\n', found.index) + 1;
    const next = text.indexOf('\n', found.index);
    const end = next < 0 ? text.length : next;
    const texts = text.indexOf(beforeTexts, start);
    const isInFacts = words.length > 0 && found.index < texts && texts < end;
    pattern.lastIndex = isInFacts ? texts : end;
    if (isInFacts) continue;
    const line = text.slice(start, end);
    if (others.every((other) => other.test(line))) yield block.subarray(start, end);
  }
}

/** A text as a line of the log has it: the bytes of its JSON, each as a character. */
function lineText(text: string): string {
  return Buffer.from(JSON.stringify(text).slice(1, -1)).toString('latin1');
}

/** A regular expression for a text in any case. Each character is encoded alone. */
function patternOf(text: string, encoded: (text: string) => string): string {
  const escaped = (form: string): string => encoded(form).replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
  return Array.from(text, (character) => {
    const forms = [...new Set([character, character.toLowerCase(), character.toUpperCase()])].map(escaped);
    // A set is three times as fast as a choice.
    return forms.every((form) => form.length === 1) ? `[${forms.join('')}]` : `(?:${forms.join('|')})`;
  }).join('');
}
