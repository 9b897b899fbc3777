import { readText } from './body.ts';
import type { Call } from './call.ts';
import type { Cancellation } from './cancellation.ts';
import type { Settings } from './config.ts';
import { type ApiError, StreamError } from './errors.ts';
import { apiError, type Envelope, envelopeOf, failureIn } from './failure.ts';
import type { AttemptHooks } from './hooks.ts';
import { infoOf, type ResponseInfo, requestIdOf } from './info.ts';
import { peek } from './peek.ts';
import { rememberFailedReply } from './raw-failure.ts';
import { retryAfterOf } from './retry.ts';
import type { StreamSource } from './stream-source.ts';
import type { Exchange, WireResponse } from './transport/transport.ts';

/** An exchange whose header has arrived. */
export interface Answer {
  readonly call: Call;
  readonly settings: Settings;
  readonly response: WireResponse;
  readonly exchange: Exchange;
  readonly cancellation: Cancellation;
  readonly hooks: AttemptHooks | undefined;
  readonly attempts: number;
}

/** A reply that counts as success: read whole, or open for a stream, bytes or raw reading. */
export type Accepted =
  | { readonly open: false; readonly value: unknown; readonly info: ResponseInfo }
  | { readonly open: true; readonly source: StreamSource };

/** Error bodies are read up to here; what a gateway puts beyond it nobody reads. */
const maxErrorBytes = 64 * 1024;

/** Decide what an answer is, and read it as the call wants it. Throws the typed error of everything that is not a success. */
export async function accept(answer: Answer): Promise<Accepted> {
  const { call, response, settings } = answer;
  const info = infoOf(response, answer.attempts, call.secrets);
  const contentType = (response.header('content-type') ?? '').toLowerCase();
  if (response.status < 200 || response.status > 299) {
    const text = await readText(response, answer.exchange, settings.streamIdleMs, maxErrorBytes);
    const error = failed(answer, envelopeOf(text, contentType));
    throw call.reply === 'raw' ? rememberFailedReply(error, { text, status: response.status, headers: response.headers() }) : error;
  }
  if (call.reply === 'raw') return { open: true, source: sourceOf(answer, info) };
  const isJson = /^application\/([\w.+-]+\+)?json/.test(contentType);
  if (call.reply === 'bytes') return acceptBytes(answer, info, contentType, isJson);
  if (call.reply === 'stream' && !isJson && !contentType.startsWith('text/html')) return { open: true, source: sourceOf(answer, info) };
  const text = await readText(response, answer.exchange, settings.streamIdleMs);
  const value = parseReply(answer, text, contentType);
  if (call.reply !== 'json') throw failed(answer, wrongKind('JSON came where an event stream was expected'));
  answer.hooks?.response(info.status, info.requestId, usageOf(value), true);
  return { open: false, value, info };
}

/**
 * Bytes may be a failure in disguise. A stored file can be anything, JSON too, so only a whole failure envelope is one; audio is never text,
 * so that under any content type a failure envelope is one, and under a text type anything is.
 */
async function acceptBytes(answer: Answer, info: ResponseInfo, contentType: string, isJson: boolean): Promise<Accepted> {
  const { call, exchange, settings } = answer;
  const isAudio = call.route.path === '/audio/speech';
  const isText = isJson || contentType.startsWith('text/');
  if (!isAudio && !isText && contentType !== '') return { open: true, source: sourceOf(answer, info) };
  const wanted = isAudio && isText ? /^/ : /^\s*(\{|<!doctype|<html|$)/i;
  const { text, response } = await peek(answer.response, exchange, settings.streamIdleMs, wanted, maxErrorBytes);
  if (text !== undefined) {
    const value = jsonOrUndefined(text);
    const failure = contentType.startsWith('text/event-stream') ? firstFailure(text) : failureIn(value, call.route);
    // A line of a batch result holds an error of its own.
    if (failure && !(!isAudio && isBatchLine(value))) throw failed(answer, failure);
    if (contentType.startsWith('text/html') && /^\s*</.test(text)) throw failed(answer, envelopeOf(text, contentType));
    if (isAudio && text.trim() === '')
      throw new StreamError(call.operation, 'truncated', `the reply (status ${response.status}) has no content`, requestIdOf(response, call.secrets));
  }
  if (isAudio && isText) throw failed(answer, wrongKind(`${isJson ? 'JSON' : 'text'} came where audio was expected`));
  return { open: true, source: sourceOf({ ...answer, response }, info) };
}

function isBatchLine(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'custom_id' in value;
}

function jsonOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function parseReply(answer: Answer, text: string, contentType: string): object {
  const { call, response } = answer;
  if (text.trim() === '') {
    // Some monitor replies are empty for an account without a plan.
    if (response.status === 204 || response.status === 205 || call.route.surface === 'monitor' || call.route.surface === 'biz') return {};
    throw new StreamError(call.operation, 'truncated', `the reply (status ${response.status}) has no content`, requestIdOf(response, call.secrets));
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    const inBand = contentType.startsWith('text/event-stream') ? firstFailure(text) : undefined;
    if (inBand) throw failed(answer, inBand);
    if (contentType.startsWith('text/event-stream')) throw failed(answer, wrongKind('an event stream came where JSON was expected'));
    if (contentType.includes('html') || /^\s*</.test(text)) throw failed(answer, envelopeOf(text, contentType));
    // A parser's own message would quote the payload.
    throw new StreamError(
      call.operation,
      'malformed',
      `the reply (status ${response.status}) is not JSON (${text.length} characters)`,
      requestIdOf(response, call.secrets),
    );
  }
  const failure = failureIn(value, call.route);
  if (failure) throw failed(answer, failure);
  if (typeof value !== 'object' || value === null)
    throw new StreamError(call.operation, 'malformed', 'the reply is not a JSON object', requestIdOf(response, call.secrets));
  return value;
}

/** The error that an event stream carries which came for a JSON call. */
function firstFailure(text: string): Envelope | undefined {
  for (const line of text.split(/\r?\n|\r/)) {
    if (!line.startsWith('data:')) continue;
    try {
      const failure = failureIn(JSON.parse(line.slice(5)));
      if (failure) return failure;
    } catch {
      return undefined;
    }
  }
  return undefined;
}

function wrongKind(message: string): Envelope {
  return { code: undefined, message, requestId: undefined };
}

function failed(answer: Answer, envelope: Envelope): ApiError {
  const { call, response } = answer;
  return apiError(envelope, {
    operation: call.operation,
    surface: call.route.surface,
    status: response.status,
    requestId: requestIdOf(response, call.secrets),
    retryAfter: retryAfterOf((name) => response.header(name)),
    secrets: call.secrets,
  });
}

function sourceOf(answer: Answer, info: ResponseInfo): StreamSource {
  const { call, response, exchange, cancellation, hooks, settings } = answer;
  return { call, response, exchange, cancellation, hooks, info, idleMs: settings.streamIdleMs, contentMs: settings.streamContentMs };
}

function usageOf(value: unknown): unknown {
  return typeof value === 'object' && value !== null && 'usage' in value ? value.usage : undefined;
}
