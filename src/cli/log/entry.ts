// Entries of the log as values: one exchange each, as a line of JSON.
import { randomBytes } from 'node:crypto';
import { jsonValue } from '../files/json.ts';

/** Each entry has its version, because several versions of the program may write to one log. */
export const entryVersion = 1;

/** A file of a prompt. Its content and its whole URL, which may contain a signature, are not kept. */
export interface LoggedFile {
  readonly kind: string;
  readonly name: string;
  /** Undefined for a URL. */
  readonly bytes?: number | undefined;
  /** Of the content, or of the URL. */
  readonly sha256: string;
}

/** An exchange, or a run of `map`, without its texts. */
export interface LogFacts {
  readonly v: number;
  readonly id: string;
  /** The end of the exchange, as ISO text. */
  readonly time: string;
  /** `chat`, `messages`, `responses` or `map`. */
  readonly command: string;
  readonly model: string;
  /** Id of the first exchange of the conversation. */
  readonly conversation?: string | undefined;
  /** Number of rows of a run of `map`. Their answers are where the run has written them, and not in the log. */
  readonly rows?: number | undefined;
  /** The file of their answers. Undefined if they went to stdout. */
  readonly file?: string | undefined;
  /** Duration in milliseconds. */
  readonly ms?: number | undefined;
  /** The answer is incomplete or missing. */
  readonly stopped?: true | undefined;
  /** Why the answer ended, if that was not its normal end. */
  readonly finish?: string | undefined;
  readonly usage?: object | undefined;
  /** In dollars, at the list price. Undefined if it is not known. */
  readonly cost?: number | undefined;
  /** Why the list price does not hold for this exchange. */
  readonly unpriced?: 'plan' | 'china' | 'batch' | 'local' | undefined;
}

export interface LogEntry extends LogFacts {
  readonly text: {
    readonly system?: string | undefined;
    /** The template of `map`. */
    readonly prompt: string;
    readonly files?: readonly LoggedFile[] | undefined;
    /** The counts of a run of `map`. */
    readonly answer: string;
    readonly reasoning?: string | undefined;
    /** Calls of tools that were requested and not run. */
    readonly calls?: readonly object[] | undefined;
  };
}

/** An id that sorts by time: 8 characters of the time, 6 random ones. */
export function newId(now: Date = new Date()): string {
  return now.getTime().toString(36) + (randomBytes(4).readUInt32LE() % 36 ** 6).toString(36).padStart(6, '0');
}

/** The line of an entry. The line feed before it ends a line that a kill or a full disk has cut off. */
export function lineOf(entry: LogEntry): string {
  return `\n${JSON.stringify(entry)}\n`;
}

/** The facts of a line; undefined for a line that was cut off or is not an entry. */
export function factsOf(line: Buffer): LogFacts | undefined {
  const facts = jsonValue(line.toString()) as Partial<LogFacts> | null | undefined;
  const isOne = typeof facts?.v === 'number' && [facts.id, facts.time, facts.command, facts.model].every((field) => typeof field === 'string');
  return isOne || (facts?.v ?? 0) > entryVersion ? (facts as LogFacts) : undefined;
}

/** True for facts with their texts, as an entry of this version has them. */
export function isEntry(facts: LogFacts): facts is LogEntry {
  const { prompt, answer } = (facts as Partial<LogEntry>).text ?? {};
  return typeof prompt === 'string' && typeof answer === 'string';
}
