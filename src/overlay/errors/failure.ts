import { businessCodes, type ErrorCategory } from '../../generated/codes.ts';
import type { Surface } from '../../generated/routes.ts';
import { cleanText, cleanToken } from './clean.ts';
import type { Envelope } from './envelope.ts';
import { ApiError } from './errors.ts';
import { type Fields, isFields } from './json-value.ts';
import { keeps, type Promises } from './promise.ts';
import { codeOf, isSuccessCode, saidText, serviceCode, serviceWords } from './service-words.ts';

/** Where a failure was met. */
export interface FailureSource {
  readonly operation: string;
  readonly surface: Surface;
  readonly status: number;
  readonly requestId: string | undefined;
  readonly retryAfter?: number | undefined;
  /** Keys and header values to redact from everything the service said. */
  readonly secrets: readonly string[];
}

/** What is known of the operation whose reply is judged. */
export interface FailureMarks {
  /** The value of `status` that is a failure. */
  readonly failedStatus?: string | undefined;
  /** Without it only a whole envelope is a failure: a stored file may hold any JSON. */
  readonly promises?: Promises | undefined;
}

/**
 * The failure inside a JSON body, whatever the HTTP status: platform, agents, parser, monitor or message envelope. Where `promises` are
 * known, also the looser forms of gateways. Undefined when the body states no failure.
 */
export function failureIn(body: unknown, marks?: FailureMarks): Envelope | undefined {
  if (!isFields(body)) return undefined;
  return wholeEnvelope(body, marks?.failedStatus) ?? (marks?.promises && looseEnvelope(body, marks.promises));
}

function wholeEnvelope(body: Fields, failedStatus: string | undefined): Envelope | undefined {
  const inner = errorField(body);
  if (inner) return inner;
  const code = codeOf(body['code']);
  const words = saidText(body['msg']) ?? saidText(body['message']) ?? '';
  if (failedStatus !== undefined && body['status'] === failedStatus)
    return { code, message: saidText(body['message']) ?? saidText(body['msg']) ?? 'the service reports a failure', requestId: requestIdIn(body) };
  const refused = body['success'] === false || (code !== undefined && ('msg' in body || 'message' in body) && !isSuccessCode(code));
  return refused ? { code, message: words, requestId: requestIdIn(body) } : undefined;
}

/** The failure in the field `error` alone: an object with a code, a type or words, or a text. */
export function errorField(body: Fields): Envelope | undefined {
  const { error } = body;
  if (isFields(error) && (error['message'] !== undefined || error['code'] !== undefined || error['type'] !== undefined)) {
    // The message surface puts the business code in `type`; elsewhere `type` is a protocol word beside the code.
    const code = codeOf(error['code']) ?? codeOf(error['type']);
    return unbracketed({ code, message: saidText(error['message']) ?? serviceWords(error), requestId: requestIdIn(body) });
  }
  return typeof error === 'string' && error !== '' ? { code: undefined, message: error, requestId: requestIdIn(body) } : undefined;
}

/** Forms of gateways. Most of them are failures only in a body that keeps no promise: a success may carry a code, a message or warnings. */
function looseEnvelope(body: Fields, promises: Promises): Envelope | undefined {
  const { error, success, code, detail, errors } = body;
  const stated = error === true || isFilled(error) || (typeof success === 'string' && success.toLowerCase() === 'false');
  if (!stated) {
    const plainCode = codeOf(code);
    const isSuccess = success === true || (plainCode !== undefined && isSuccessCode(plainCode));
    const hinted = plainCode !== undefined || isFields(error) || isSaid(detail) || isSaid(errors) || isSaid(body['message']) || isSaid(body['msg']);
    if (isSuccess || !hinted || keeps(body, promises)) return undefined;
  }
  return { code: serviceCode(body), message: serviceWords(body), requestId: requestIdIn(body) };
}

/** An object or a list with something in it. */
function isFilled(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0;
}

function isSaid(value: unknown): boolean {
  return isFilled(value) || (typeof value === 'string' && value !== '');
}

function requestIdIn(body: Fields): string | undefined {
  return saidText(body['request_id']) ?? (typeof body['error'] === 'object' ? saidText(body['id']) : undefined);
}

/** The message surface may answer with a protocol's word and `[code][words][request id]` as its message. */
function unbracketed(envelope: Envelope): Envelope {
  const [, code, message = '', requestId] = /^\[(\d{3,5})\]\[(.*)\]\[([\w-]+)\]$/s.exec(envelope.message) ?? [];
  if (code === undefined || /^\d+$/.test(envelope.code ?? '')) return envelope;
  return { code, message, requestId: envelope.requestId ?? requestId };
}

/** The public error of a failure. */
export function apiError(envelope: Envelope, source: FailureSource): ApiError {
  const token = (text: string | undefined): string | undefined => text && cleanToken(text, source.secrets);
  const known = own(businessCodes, envelope.code);
  const category = known?.category ?? categoryOf(envelope.code) ?? categoryOfStatus(statusIn(envelope.code) ?? source.status);
  return new ApiError({
    operation: source.operation,
    surface: source.surface,
    status: source.status,
    code: token(envelope.code),
    category,
    serviceMessage: cleanText(envelope.message, source.secrets),
    advice: known?.message ?? adviceOf(source.status),
    retryable: known ? known.retry === 'yes' : category === 'rate' || category === 'server',
    requestId: token(source.requestId ?? envelope.requestId),
    retryAfter: source.retryAfter,
  });
}

/** The envelope of a failed reply that may not even be JSON. */
export function envelopeOf(text: string, contentType: string): Envelope {
  const body = parsed(text);
  const found = failureIn(body, { promises: {} }) ?? (isFields(body) ? bareEnvelope(body) : undefined);
  if (found) return found;
  const isPage = contentType.includes('html') || /^\s*<(!doctype|html)/i.test(text);
  // A page's text is noise, and may be a whole portal; anything else is worth its first words.
  const message = isPage ? 'an HTML page came instead of JSON; a gateway or a wrong base URL answered' : body === undefined ? text.trim() : '';
  return { code: undefined, message, requestId: undefined };
}

/** Some descriptions give `{code, message}` without the wrapper. */
function bareEnvelope(body: Fields): Envelope {
  return { code: codeOf(body['code']), message: serviceWords(body), requestId: saidText(body['request_id']) };
}

const protocolWords: Readonly<Record<string, ErrorCategory>> = {
  invalid_request_error: 'parameter',
  authentication_error: 'auth',
  billing_error: 'billing',
  permission_error: 'permission',
  not_found_error: 'parameter',
  request_too_large: 'parameter',
  rate_limit_error: 'rate',
  timeout_error: 'server',
  overloaded_error: 'rate',
  api_error: 'server',
};

function categoryOf(code: string | undefined): ErrorCategory | undefined {
  return own(protocolWords, code);
}

/** Inside a 200 some groups give an HTTP status for a code. */
function statusIn(code: string | undefined): number | undefined {
  return code !== undefined && /^[45]\d\d$/.test(code) ? Number(code) : undefined;
}

function categoryOfStatus(status: number): ErrorCategory {
  if (status === 401) return 'auth';
  if (status === 402) return 'billing';
  if (status === 403 || status === 434) return 'permission';
  if (status === 429) return 'rate';
  return status >= 400 && status < 500 ? 'parameter' : 'server';
}

function adviceOf(status: number): string {
  if (status === 401) return 'Check the API key.';
  if (status === 404 || status === 405) return 'Check the base URL: each surface has a root of its own.';
  if (status === 413 || status === 435) return 'The request or file is too large.';
  return '';
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A field of a table; the service's word may be one that every object has. */
function own<T>(table: Readonly<Record<string, T>>, name: string | undefined): T | undefined {
  return name !== undefined && Object.hasOwn(table, name) ? table[name] : undefined;
}
