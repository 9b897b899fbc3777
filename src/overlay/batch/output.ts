import { chatCreate } from '../../generated/routes.ts';
import type { ChatResponse } from '../../generated/types.ts';
import { type ResponseInfo, rememberInfo } from '../call/reply/response-info.ts';
import type { Envelope, FailureSource } from '../errors/envelope.ts';
import { type ApiError, type ModelsvcError, ReplyError } from '../errors/errors.ts';
import { missingExpected } from '../errors/expected.ts';
import { apiError, failureIn } from '../errors/failure.ts';
import { fieldsOf, isFields } from '../json/json-value.ts';
import { cleanToken } from '../secrets/clean.ts';
import { mendMessages } from '../surfaces/chat/reply.ts';
import { textLines } from './jsonl.ts';

/** Result of one request of a batch: either `response` or `error` is set. */
export interface BatchResult {
  readonly custom_id: string;
  /** The response, as `chat().create` returns it. */
  readonly response?: ChatResponse;
  /**
   * An ApiError if the service rejected or failed the request. A TaskError if the batch expired or was canceled before it ran.
   * A ReplyError if the result files contain no readable line for it.
   */
  readonly error?: ModelsvcError;
}

/** Facts for the errors of single lines. */
interface LineSource extends Pick<FailureSource, 'operation' | 'surface' | 'secrets'> {
  readonly maxLineLength: number;
}

/** Reads a result file into `results`, by custom id. An error never replaces a response. Returns the number of lines without a custom id. */
export async function readResults(blocks: AsyncIterable<Uint8Array>, results: Map<string, BatchResult>, source: LineSource): Promise<number> {
  let unreadable = 0;
  const tooLong = (): ReplyError =>
    new ReplyError(
      source.operation,
      'too-large',
      `a line of the result file has more than ${source.maxLineLength} characters`,
      undefined,
      'raise maxReplyBytes',
    );
  for await (const line of textLines(blocks, source.maxLineLength, tooLong)) {
    const result = resultOf(line, source);
    if (!result) unreadable++;
    else if (result.response !== undefined || !results.has(result.custom_id)) results.set(result.custom_id, result);
  }
  return unreadable;
}

/** One line as a result. The layout is unconfirmed: a body with `choices` is a response, and any other line is an error. */
function resultOf(line: string, source: LineSource): BatchResult | undefined {
  const fields = parsed(line);
  if (!isFields(fields)) return undefined;
  const { custom_id: id } = fields;
  if ((typeof id !== 'string' || id === '') && typeof id !== 'number') return undefined;
  const customId = String(id);
  const response = parsed(fields['response']);
  const wrapped = isFields(response) && response['choices'] === undefined && 'body' in response;
  const body = wrapped ? parsed(response['body']) : response;
  const status = isFields(response) && typeof response['status_code'] === 'number' ? response['status_code'] : undefined;
  const requestId = isFields(response) && typeof response['request_id'] === 'string' ? response['request_id'] : undefined;
  const failure = failureIn({ error: fields['error'] }) ?? failureIn(body) ?? statusFailure(status, body) ?? emptyAnswer(body);
  if (failure) return { custom_id: customId, error: lineError(failure, status, requestId, source) };
  mendMessages(fieldsOf(body)['choices']);
  if (isFields(body) && Array.isArray(body['choices']))
    return {
      custom_id: customId,
      response: rememberInfo(body as unknown as ChatResponse, lineInfo(status, requestId && cleanToken(requestId, source.secrets))),
    };
  return {
    custom_id: customId,
    error: new ReplyError(source.operation, 'malformed', 'the result line of this request contains neither a response nor an error'),
  };
}

/** The facts that a line has about its exchange, which the service made. */
function lineInfo(status: number | undefined, requestId: string | undefined): ResponseInfo {
  return {
    requestId,
    status: status ?? 200,
    get headers() {
      return new Headers();
    },
    attempts: 1,
    waitedMs: 0,
    bytes: undefined,
    effort: undefined,
  };
}

function lineError(failure: Envelope, status: number | undefined, requestId: string | undefined, source: LineSource): ApiError {
  // 200, as in every ApiError of a failure without an HTTP status of its own.
  return apiError(failure, { ...source, status: status ?? 200, requestId });
}

function statusFailure(status: number | undefined, body: unknown): Envelope | undefined {
  if (status === undefined || (status >= 200 && status <= 299)) return undefined;
  const said = isFields(body) ? (body['message'] ?? body['msg']) : body;
  return { code: undefined, message: typeof said === 'string' ? said : '', requestId: undefined };
}

/** The failure of a response without any choice. */
function emptyAnswer(body: unknown): Envelope | undefined {
  return isFields(body) && Array.isArray(body['choices']) ? missingExpected(body, chatCreate) : undefined;
}

/** Parses JSON text. Returns other values, and text that is not JSON, unchanged. */
function parsed(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}
