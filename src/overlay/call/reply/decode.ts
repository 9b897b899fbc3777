import type { ResponsesResponse } from '../../../generated/types.ts';
import type { Envelope } from '../../errors/envelope.ts';
import { missingExpected } from '../../errors/expected.ts';
import { envelopeOf, failureIn } from '../../errors/failure.ts';
import { fieldsOf, isObject, jsonOrUndefined, listOf } from '../../json/json-value.ts';
import { withResponseAccessors } from '../../surfaces/responses/reply.ts';
import type { RefusedAttempt } from '../attempt/failure.ts';
import { peekText, readErrorText, readText } from './body.ts';
import type { Reply } from './reply.ts';

/** Longer bodies are the requested bytes and not a failure envelope. */
const maxPeekBytes = 64 * 1024;

/** Called with a reply and its text. */
export type OnText = (value: object, text: string) => void;

/** Read a reply as JSON. Throws the typed error of a reply that is not a success. */
export async function readJson(reply: Reply, onText?: OnText): Promise<object> {
  await refuseFailedStatus(reply);
  const text = await readText(reply);
  const value = parseReply(reply, text);
  onText?.(value, text);
  reply.complete(usageOf(value), value);
  return value;
}

/** Accept a reply whose events the caller reads. */
export async function openStream(reply: Reply): Promise<void> {
  await refuseFailedStatus(reply);
  if (!isJson(reply.contentType) && !reply.contentType.startsWith('text/html')) return;
  parseReply(reply, await readText(reply));
  throw reply.refused(wrongKind('expected an event stream, got JSON'));
}

/**
 * Accept a reply whose bytes the caller reads, unless the body is a failure. A stored file can be any JSON, so only a complete failure
 * envelope counts as a failure. Audio is never text, so any body with a text type is a failure, and an envelope is one under any type.
 */
export async function openBytes(reply: Reply): Promise<void> {
  await refuseFailedStatus(reply);
  const { call, contentType } = reply;
  const isAudio = call.route.isAudio === true;
  const isText = isJson(contentType) || contentType.startsWith('text/');
  if (!isAudio && !isText && contentType !== '') return;
  const wanted = isAudio && isText ? /^/ : /^\s*(\{|<!doctype|<html|$)/i;
  const text = await peekText(reply, wanted, maxPeekBytes);
  if (text !== undefined) {
    const value = jsonOrUndefined(text);
    const failure = contentType.startsWith('text/event-stream') ? firstFailure(text) : failureIn(value, call.route);
    // A line of a batch result may contain an error of its own, which is content.
    if (failure && !(!isAudio && isBatchLine(value))) throw reply.refused(failure);
    if (contentType.startsWith('text/html') && /^\s*</.test(text)) throw reply.refused(envelopeOf(text, contentType));
    if (isAudio && text.trim() === '') throw reply.broken('truncated', `the reply (status ${reply.info.status}) has no content`);
  }
  if (isAudio && isText) throw reply.refused(wrongKind(`expected audio, got ${isJson(contentType) ? 'JSON' : 'text'}`));
}

/** Accept any success without reading it, for the raw bindings. */
export function openRaw(reply: Reply): Promise<void> {
  return refuseFailedStatus(reply);
}

async function refuseFailedStatus(reply: Reply): Promise<void> {
  const { status } = reply.info;
  if (status >= 200 && status <= 299) return;
  const text = await readErrorText(reply);
  const envelope = envelopeOf(text, reply.contentType);
  // The mock of the spec answers a wrong request with an example, and has place and rule in this header.
  const refused = reply.refused({ ...envelope, message: reply.header('sl-violations') ?? envelope.message });
  if (reply.call.reply === 'raw') refused.reply = { text, status, headers: reply.info.headers };
  throw refused;
}

function isJson(contentType: string): boolean {
  return /^application\/([\w.+-]+\+)?json/.test(contentType);
}

function isBatchLine(value: unknown): boolean {
  return isObject(value) && 'custom_id' in value;
}

function parseReply(reply: Reply, text: string): object {
  const { call, contentType, info } = reply;
  if (text.trim() === '') {
    const absent = info.status === 200 ? undefined : missingExpected(undefined, call.route, info.status);
    if (absent) throw reply.refused(absent);
    // Some monitor replies are empty for an account without a plan.
    if (info.status !== 200 || call.route.emptyReply) return {};
    throw reply.unusable('truncated', `the reply (status ${info.status}) has no content`);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    const inBand = contentType.startsWith('text/event-stream') ? firstFailure(text) : undefined;
    if (inBand) throw reply.refused(inBand);
    if (contentType.startsWith('text/event-stream')) throw reply.refused(wrongKind('expected JSON, got an event stream'));
    if (contentType.includes('html') || /^\s*</.test(text)) throw reply.refused(envelopeOf(text, contentType));
    // A parser's own message would quote the payload.
    throw reply.unusable('malformed', `the reply (status ${info.status}) is not JSON (${text.length} characters)`);
  }
  const failure = failureIn(value, call.route);
  if (failure) throw withAnswer(reply.refused(failure), value, call.route.answerStatus);
  if (!isObject(value)) throw reply.unusable('malformed', 'the reply is not a JSON object');
  const unkept = call.reply === 'json' || call.reply === 'collected' ? missingExpected(value, call.route, info.status) : undefined;
  if (unkept) throw withAnswer(reply.refused(unkept), value, undefined);
  return value;
}

/** Keeps usage and output of a reply that is not an answer, because it may be paid for. */
function withAnswer(refused: RefusedAttempt, body: unknown, answerStatus: readonly string[] | undefined): RefusedAttempt {
  refused.usage = usageOf(body);
  if (answerStatus && listOf(fieldsOf(body)['output']).length > 0) refused.partial = withResponseAccessors(body as ResponsesResponse);
  return refused;
}

/** The first error in an event stream that was received instead of JSON or bytes. */
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

function usageOf(value: unknown): unknown {
  return isObject(value) && 'usage' in value ? value.usage : undefined;
}
