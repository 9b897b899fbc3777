// Finds failures in the bodies of responses, and turns them into an ApiError.
import { type BusinessCode, businessCodes, type ErrorCategory } from '../../generated/codes.ts';
import { type Fields, fieldsOf, isFields, isObject, jsonOrUndefined } from '../json/json-value.ts';
import { cleanText, cleanToken } from '../secrets/clean.ts';
import { adviceOf } from './advice.ts';
import type { Envelope, FailureSource } from './envelope.ts';
import { ApiError, type ApiFailure } from './errors.ts';
import { type ExpectedFields, hasExpected } from './expected.ts';
import { untilTimeIn } from './server-time.ts';
import { codeInside, codeOf, isSuccessCode, maxParamLength, placedWords, placeIn, reasoned, saidText, serviceWords } from './service-words.ts';

/** Properties of the operation that decide which bodies are failures. */
export interface FailureMarks {
  /** Value of `status` that marks a failure. */
  readonly failedStatus?: string | undefined;
  /** Values of `status` of an answer. Another one marks a failure, also one that is not known. */
  readonly answerStatus?: readonly string[] | undefined;
  /** True for a body that describes a failed job. Such a body is the reply that polling asked for. */
  readonly isTask?: ((body: Fields) => boolean) | undefined;
  /** Expected fields of the reply. If absent, only a complete envelope is a failure, because a stored file may contain any JSON. */
  readonly expected?: ExpectedFields | undefined;
}

/**
 * The failure inside a JSON body of any HTTP status: platform, agents, parser, monitor, message or Responses envelope.
 * With `expected`, the looser forms of gateways count too. Undefined if the body contains no failure.
 */
export function failureIn(body: unknown, marks?: FailureMarks): Envelope | undefined {
  if (!isFields(body) || marks?.isTask?.(body)) return undefined;
  const found = wholeEnvelope(body, marks) ?? (marks?.expected && looseEnvelope(body, marks.expected));
  return found && { ...found, code: innerCode(found.code, body), place: placeIn(body) };
}

/** The service's own code, which a gateway may have inside of its error, else the one that was found. */
export function innerCode(code: string | undefined, body: unknown): string | undefined {
  return (isNumbered(code) ? code : codeInside(body, isNumbered)) ?? code ?? codeInside(body, (one) => !isSuccessCode(one));
}

function isNumbered(code: string | undefined): boolean {
  return code !== undefined && /^\d{4}$/.test(code) && businessCode(code) !== undefined;
}

function wholeEnvelope(body: Fields, { failedStatus, answerStatus }: FailureMarks = {}): Envelope | undefined {
  const inner = errorField(body);
  if (inner) return inner;
  const code = codeOf(body['code']);
  const said = serviceWords(body['msg']) || serviceWords(body['message']);
  const words = said && reasoned(said, body);
  if (failedStatus !== undefined && body['status'] === failedStatus)
    return {
      code,
      message: serviceWords(body['message']) || serviceWords(body['msg']) || 'the service reports a failure',
      requestId: requestIdIn(body),
    };
  const status = answerStatus && saidText(body['status']);
  if (status !== undefined && !answerStatus?.includes(status))
    return { code: undefined, message: `the response has the status ${status}, so it is not an answer`, requestId: requestIdIn(body) };
  const refused = body['success'] === false || (code !== undefined && ('msg' in body || 'message' in body) && !isSuccessCode(code));
  return refused ? { code, message: words, requestId: requestIdIn(body) } : undefined;
}

/** The failure in the field `error`: an object with a code, a type or a message, or a non-empty string. */
export function errorField(body: Fields): Envelope | undefined {
  const { error } = body;
  if (isFields(error) && (error['message'] !== undefined || error['code'] !== undefined || error['type'] !== undefined)) {
    // The message surface puts the business code in `type`; other surfaces put a protocol name there and the code next to it.
    const code = codeOf(error['code']) ?? codeOf(error['type']);
    return unbracketed({ code: innerCode(code, error), message: serviceWords(error), requestId: requestIdIn(body) });
  }
  return typeof error === 'string' && error !== ''
    ? { code: innerCode(undefined, error), message: serviceWords(error), requestId: requestIdIn(body) }
    : undefined;
}

/** Error forms of gateways. Most count only in a body without any expected field, because a success may contain a code, a message or warnings. */
function looseEnvelope(body: Fields, expected: ExpectedFields): Envelope | undefined {
  const { error, success, code, detail, errors } = body;
  const stated = error === true || isFilled(error) || (typeof success === 'string' && success.toLowerCase() === 'false');
  if (!stated) {
    const plainCode = codeOf(code);
    const isSuccess = success === true || (plainCode !== undefined && isSuccessCode(plainCode));
    const hinted = plainCode !== undefined || isFields(error) || isSaid(detail) || isSaid(errors) || isSaid(body['message']) || isSaid(body['msg']);
    if (isSuccess || !hinted || hasExpected(body, expected)) return undefined;
  }
  return { code: undefined, message: serviceWords(body), requestId: requestIdIn(body) };
}

/** True for an object or array that is not empty. */
function isFilled(value: unknown): boolean {
  return isObject(value) && Object.keys(value).length > 0;
}

function isSaid(value: unknown): boolean {
  return isFilled(value) || (typeof value === 'string' && value !== '');
}

function requestIdIn(body: Fields): string | undefined {
  const { error } = body;
  return saidText(body['request_id']) ?? saidText(fieldsOf(error)['request_id']) ?? (isObject(error) ? saidText(body['id']) : undefined);
}

/** The message surface may put `[code][text][request id]` in the message, and a protocol name or the same code next to it. */
function unbracketed(envelope: Envelope): Envelope {
  const [, code, message = '', requestId] = /^\[(\d{3,5})\]\[(.*)\]\[([\w-]+)\]$/s.exec(envelope.message) ?? [];
  return code === undefined ? envelope : { code, message, requestId: envelope.requestId ?? requestId };
}

/** The error for a failure that belongs to no attempt: a line of a batch, an event that a caller passes. */
export function apiError(envelope: Envelope, source: FailureSource): ApiError {
  return new ApiError(apiFailure(envelope, source));
}

/** The facts of the error for a failure. */
export function apiFailure(envelope: Envelope, source: FailureSource): ApiFailure {
  const token = (text: string | undefined): string | undefined => text && cleanToken(text, source.secrets);
  const { place } = envelope;
  const known = businessCode(envelope.code);
  const category = known?.category ?? categoryOfStatus(statusIn(envelope.code) ?? source.status);
  return {
    operation: source.operation,
    surface: source.surface,
    status: source.status,
    code: token(envelope.code),
    category,
    param: place && cleanText(place.param, source.secrets, maxParamLength),
    serviceMessage: cleanText(placedWords(envelope.message, place), source.secrets),
    advice: cleanText(adviceOf(envelope, known?.message, source), source.secrets),
    retryable: known ? known.retry === 'yes' : category === 'rate' || category === 'server',
    requestId: token(source.requestId ?? envelope.requestId),
    retryAfter: source.retryAfter ?? (known?.reset ? untilTimeIn(envelope.message, source.now) : undefined),
  };
}

/** The envelope of a failed response, which may not be JSON. */
export function envelopeOf(text: string, contentType: string): Envelope {
  const whole = jsonOrUndefined(text);
  if (typeof whole === 'string') return envelopeOf(whole, contentType);
  // Some gateways send a list of one error.
  const body = Array.isArray(whole) ? whole.find(isFields) : whole;
  const found = failureIn(body, { expected: {} }) ?? (isFields(body) ? bareEnvelope(body) : undefined);
  if (found) return found;
  const isPage = contentType.includes('html') || /^\s*<(!doctype|html)/i.test(text);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: compressed bytes have some, in addition to those that are no text
  const isBinary = /\ufffd/.test(text) && /[\0-\x08\x0e-\x1a\x1c-\x1f]/.test(text);
  // Neither an HTML page nor bytes are quoted: they are long and do not explain the failure.
  const unquoted = isPage ? 'an HTML page' : isBinary && 'bytes, perhaps compressed,';
  const message = unquoted ? `got ${unquoted} instead of JSON` : body === undefined ? text.trim() : '';
  return { code: undefined, message, requestId: undefined, isPage: isPage || isBinary };
}

/** Some operations are documented to return `{code, message}` without the wrapper. */
function bareEnvelope(body: Fields): Envelope {
  return { code: innerCode(codeOf(body['code']), body), message: serviceWords(body), requestId: saidText(body['request_id']), place: placeIn(body) };
}

/** True for a listed business code or word. Other codes of the service are unknown to the client. */
export function isKnownCode(code: string | undefined): boolean {
  return businessCode(code) !== undefined;
}

/** Some groups put an HTTP status in the code of a response with status 200. */
function statusIn(code: string | undefined): number | undefined {
  return code !== undefined && /^[45]\d\d$/.test(code) ? Number(code) : undefined;
}

export function categoryOfStatus(status: number): ErrorCategory {
  if (status === 401) return 'auth';
  if (status === 402) return 'billing';
  if (status === 403 || status === 434) return 'permission';
  if (status === 429) return 'rate';
  return status >= 400 && status < 500 ? 'parameter' : 'server';
}

/** The facts of a listed code. `code` comes from the service and may be `constructor` or `toString`. */
export function businessCode(code: string | undefined): BusinessCode | undefined {
  return code !== undefined && Object.hasOwn(businessCodes, code) ? businessCodes[code] : undefined;
}
