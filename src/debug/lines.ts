/** The lines of the log, as text. */
import type { ModelsvcError } from '../overlay/errors/errors.ts';
import { isApiError, isModelsvcError } from '../overlay/errors/guards.ts';
import type {
  EffortInfo,
  Hook,
  OperationContent,
  OperationMeta,
  OperationOutcome,
  RequestMeta,
  ResponseMeta,
  RetryReason,
} from '../overlay/hooks/hook.ts';
import { isFields } from '../overlay/json/json-value.ts';
import { tokensOf } from '../overlay/monitor/tokens.ts';
import { shapeOf } from './shape.ts';
import { listed, ms, word } from './words.ts';

/**
 * Content in the log. `none`: no content. `shape`: roles, lengths and tool names. `full`: requests, results, and messages of the service,
 * without keys, each cut to 4,000 characters.
 */
export type DebugContent = 'none' | 'shape' | 'full';

/** Maximum characters of a request or a result. */
const maxContent = 4000;

/** Kinds of errors whose message is the library's own text. The others may repeat words of the service or of a tool. */
const ownWords: readonly string[] = ['config', 'validation', 'abort', 'connection', 'timeout', 'stream', 'reply', 'tool-loop'];

const refusals: Readonly<Record<Exclude<RetryReason, 'retried' | 'final'>, string>> = {
  off: 'maxRetries is 0',
  exhausted: 'all retries are used',
  billed: 'the service may have done, and billed, the work',
  'retry-after': 'the service asks for a wait of more than 60 s',
  'body-spent': 'the body was a stream that has been read',
  gate: 'too many calls of this model have failed',
};

/** The words while `retryFor` applies. */
const refusalsInTime: Partial<typeof refusals> = {
  exhausted: 'the time of retryFor, or maxRetries, is used up',
  'retry-after': 'the service asks for a longer wait than is left of retryFor',
};

export function startLine(meta: OperationMeta, given: OperationContent, content: DebugContent): string {
  const facts = listed(
    meta.method !== '' && `${meta.method} ${meta.endpoint || '(a path outside the spec)'}${meta.origin && ` at ${meta.origin}`}`,
    meta.model !== '' && `model ${given.clean(word(meta.model), 100)}`,
    meta.stream && 'stream',
    meta.effort && effortFact(meta.effort),
    meta.misspelled !== undefined && `warning: ${meta.misspelled}`,
    contentOf('request', () => given.request(), given, content),
  );
  return `${nameOf(meta)} start${facts === '' ? '' : `: ${facts}`}`;
}

export function noteLine(meta: OperationMeta, note: Parameters<NonNullable<Hook['onNote']>>[1]): string {
  const { kind } = note;
  if (kind === 'renamed') return `${nameOf(meta)} note: ${note.given} is sent as ${note.sent}`;
  return `${nameOf(meta)} note: the model ${word(note.model)} will retire${note.until === undefined ? '' : ` after ${word(note.until)}`}`;
}

function effortFact({ asked, sent, why }: EffortInfo): string {
  return `effort ${asked} sent as ${JSON.stringify(sent)}${why === undefined ? '' : ` (${why})`}`;
}

export function sentLine(meta: RequestMeta): string {
  return `${attemptOf(meta)}: sent`;
}

export function responseLine(meta: ResponseMeta): string {
  const { status, requestId, headerMs, durationMs, complete } = meta;
  const end = `${complete ? 'end' : 'left'} after ${ms(durationMs)}`;
  return `${attemptOf(meta)}: ${listed(`status ${status}`, requestFact(requestId), `header after ${ms(headerMs)}`, end)}`;
}

export function failureLine(meta: RequestMeta, error: ModelsvcError, afterMs: number, content: DebugContent): string {
  return `${attemptOf(meta)}: ${listed(`failed after ${ms(afterMs)}`, errorFacts(error, content))}`;
}

export function retryLine(
  meta: RequestMeta,
  error: ModelsvcError,
  delayMs: number | undefined,
  why: RetryReason,
  leftMs: number | undefined,
): string {
  if (delayMs !== undefined) return `${attemptOf(meta)}: retry in ${ms(delayMs)}${leftMs === undefined ? '' : `, ${ms(leftMs)} of retryFor left`}`;
  const asked = why === 'retry-after' && isApiError(error) && error.retryAfter !== undefined ? ` (${ms(error.retryAfter)})` : '';
  const isNever = why === 'final' || why === 'retried';
  const words = isNever ? `${ruledOut(error)} is never retried` : (leftMs !== undefined && refusalsInTime[why]) || refusals[why];
  return `${attemptOf(meta)}: no retry (${why}): ${words}${asked}`;
}

/** The part of an error that rules out a retry. */
function ruledOut(error: ModelsvcError): string {
  if (!isApiError(error)) return error.name;
  if (error.status < 400) return `a failure inside status ${error.status}`;
  const isRetriedStatus = error.status === 429 || error.status >= 500;
  return isRetriedStatus && error.code !== undefined ? `code ${word(error.code)}` : `status ${error.status}`;
}

export function endLine(meta: OperationMeta, outcome: OperationOutcome, given: OperationContent, content: DebugContent): string {
  const { kind, error, attempts, status, requestId, model, finishReasons, firstChunkMs, droppedHeads, durationMs } = outcome;
  const tokens = tokensOf(outcome.usage);
  const cached = tokens && tokens.cachedInputTokens > 0 ? ` (${tokens.cachedInputTokens} cached)` : '';
  const facts = listed(
    meta.kind === 'call' && `${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`,
    error === undefined ? status !== undefined && `status ${status}` : errorFacts(error, content),
    error === undefined && requestFact(requestId),
    model !== undefined && `model ${word(model)}`,
    finishReasons.length > 0 && `finish ${finishReasons.map(word).join(' ')}`,
    firstChunkMs !== undefined && `first chunk after ${ms(firstChunkMs)}`,
    droppedHeads > 0 && `${droppedHeads} cut-off ${droppedHeads === 1 ? 'head' : 'heads'} of another answer dropped`,
    `end after ${ms(durationMs)}`,
    tokens && `${tokens.inputTokens}${cached} tokens in and ${tokens.outputTokens} out`,
    contentOf('result', () => outcome.result(), given, content),
  );
  // Model and finish reasons come from the service, which may echo a key.
  return given.clean(`${nameOf(meta)} ${kind}: ${facts}`, 2 * maxContent);
}

/** `#7 chat.create`, and the operation that it is a part of. */
function nameOf({ id, kind, operation, parent }: OperationMeta): string {
  const name = kind === 'tool.call' ? `tool ${word(operation)}` : kind === 'wait' ? `${operation} (wait)` : operation;
  return `#${id}${parent ? ` in #${parent.id}` : ''} ${name}`;
}

function attemptOf({ attempt, operation }: RequestMeta): string {
  return `${nameOf(operation)} attempt ${attempt + 1}`;
}

function requestFact(requestId: string | undefined): string | undefined {
  return requestId === undefined ? undefined : `request ${word(requestId)}`;
}

function errorFacts(error: unknown, content: DebugContent): string {
  if (!isModelsvcError(error))
    return content === 'full' ? `threw ${textOf(error)}` : `threw ${error instanceof Error ? word(error.name) : typeof error}`;
  const code = isApiError(error) || isModelsvcError(error, 'connection', 'timeout') ? error.code : undefined;
  return listed(
    error.name,
    isApiError(error) && `status ${error.status}`,
    code !== undefined && `code ${word(code)}`,
    isApiError(error) && `category ${error.category}`,
    'requestId' in error && requestFact(error.requestId as string | undefined),
    (content === 'full' || ownWords.includes(error.kind)) && error.message,
  );
}

function textOf(value: unknown): string {
  try {
    return String(value);
  } catch {
    return 'a value without text';
  }
}

function contentOf(name: string, read: () => unknown, given: OperationContent, content: DebugContent): string | undefined {
  if (content === 'none') return undefined;
  const value = read();
  if (value === undefined) return undefined;
  if (content === 'shape') return given.clean(shapeOf(value), maxContent);
  // Each text is cleaned before JSON escapes the quotes in a key. The whole is cleaned again, for the limit.
  const text = JSON.stringify(value, (_name, one: unknown) => cleaned(one, given));
  return `${name} ${given.clean(text, maxContent)}`;
}

/** Cleans a text, or the names of an object's fields. */
function cleaned(value: unknown, given: OperationContent): unknown {
  if (typeof value === 'string') return given.clean(value, maxContent);
  return isFields(value) ? Object.fromEntries(Object.entries(value).map(([name, one]) => [given.clean(name, maxContent), one])) : value;
}
