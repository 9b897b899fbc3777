import { configured } from '../overlay/errors/problem.ts';
import type { Hook, OperationContent } from '../overlay/hooks/hook.ts';
import { quietly } from '../overlay/hooks/safety.ts';
import { checkFields, type KnownFields } from '../overlay/json/known-fields.ts';
import { Problem } from '../overlay/json/problem.ts';
import { writeLine } from '../overlay/platform.ts';
import { cleanText } from '../overlay/secrets/clean.ts';
import { type DebugContent, endLine, failureLine, noteLine, responseLine, retryLine, sentLine, startLine } from './lines.ts';

const contents: readonly unknown[] = ['none', 'shape', 'full'] satisfies DebugContent[];

/** Options of `debugHook`. */
export interface DebugOptions {
  /** Gets each line, without a line break. An error that it throws is ignored. Default: stderr; in browsers `console.debug`. */
  readonly write?: ((line: string) => unknown) | undefined;
  /** Default: `shape`. */
  readonly content?: DebugContent | undefined;
}

/** Maximum characters of a line: two contents of 4,000 characters and the facts. */
const maxLine = 10_000;

/**
 * A hook that writes a line for each event of a call: `newClient({ apiKey, hooks: [debugHook()] })`.
 *
 * Lines contain the id of the operation, attempts counted from 1, status, code, request id, times, tokens, and the reason for a retry or
 * against it. They never contain a key or a header. Only the content `full` contains prompts and answers.
 *
 * Throws a ConfigError if an option is invalid.
 */
export function debugHook(options: DebugOptions = {}): Hook {
  const { write = writeLine, content = 'shape' } = configured(() => checked(options));
  // The line is built inside `quietly`, so that a request that cannot be described does not lose the state of the hook.
  const print = (line: () => string): unknown => quietly(() => write(cleanText(`modelsvc ${line()}`, [], maxLine)));
  const hook: Hook<number, OperationContent> = {
    onStart(meta, given) {
      print(() => startLine(meta, given, content));
      return given;
    },
    onRequest(meta) {
      print(() => sentLine(meta));
      return performance.now();
    },
    onResponse: (meta) => void print(() => responseLine(meta)),
    onError: (meta, error, sent) => void print(() => failureLine(meta, error, performance.now() - sent, content)),
    onNote: (meta, note) => void print(() => noteLine(meta, note)),
    onRetry: (meta, error, delayMs, why, leftMs) => void print(() => retryLine(meta, error, delayMs, why, leftMs)),
    onEnd: (meta, outcome, given) => void print(() => endLine(meta, outcome, given, content)),
  };
  return hook;
}

const known: KnownFields<DebugOptions> = { write: 1, content: 1 };

function checked(options: DebugOptions): DebugOptions {
  checkFields(options, known, 'debugHook', 'takes an object of options');
  const { write, content } = options;
  if (write !== undefined && typeof write !== 'function') throw new Problem('debugHook.write', 'must be a function');
  if (content !== undefined && !contents.includes(content)) throw new Problem('debugHook.content', "must be 'none', 'shape' or 'full'");
  return options;
}
