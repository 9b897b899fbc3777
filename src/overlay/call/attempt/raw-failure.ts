import type { ApiError } from '../../errors/errors.ts';

interface FailedReply {
  readonly text: string;
  readonly status: number;
  readonly headers: Headers;
}

/** Replies behind errors, kept for the raw bindings, which return them instead of throwing. */
const replies = new WeakMap<ApiError, FailedReply>();

export function rememberFailedReply(error: ApiError, reply: FailedReply): ApiError {
  replies.set(error, reply);
  return error;
}

/** Keeps the reply of an error for an error that takes its place. */
export function passFailedReply(from: ApiError, to: ApiError): ApiError {
  const reply = replies.get(from);
  if (reply) replies.set(to, reply);
  return to;
}

/** The failed reply as a Response; undefined for a status that a Response cannot have. */
export function rawFailure(error: ApiError): Response | undefined {
  const reply = replies.get(error);
  if (!reply || reply.status < 200 || reply.status > 599) return undefined;
  return new Response(hasBody(reply.status) ? reply.text : null, { status: reply.status, headers: reply.headers });
}

/** False for the statuses whose Response must not have a body. */
export function hasBody(status: number): boolean {
  return status !== 204 && status !== 205 && status !== 304;
}
