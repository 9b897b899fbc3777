import type { ApiError } from '../errors/errors.ts';

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

export function rawFailure(error: ApiError): Response | undefined {
  const reply = replies.get(error);
  return reply && new Response(reply.text, { status: reply.status, headers: reply.headers });
}
