import type { Call } from './call.ts';
import type { Cancellation } from './cancellation.ts';
import type { ModelsvcError } from './errors.ts';
import { apiError } from './failure.ts';
import type { AttemptHooks } from './hooks.ts';
import type { ResponseInfo } from './info.ts';
import { InBandFailure } from './protocols.ts';
import { publicError } from './public-error.ts';
import type { Exchange, WireResponse } from './transport/transport.ts';

/** A stream whose header has arrived; from here on nothing is retried. */
export interface StreamSource {
  readonly call: Call;
  readonly response: WireResponse;
  readonly exchange: Exchange;
  readonly cancellation: Cancellation;
  readonly hooks: AttemptHooks | undefined;
  readonly info: ResponseInfo;
  readonly idleMs: number;
  readonly contentMs: number;
}

/** The public error of what ended a stream that had begun. */
export function streamFailure(cause: unknown, source: StreamSource): ModelsvcError {
  const { call, info } = source;
  if (cause instanceof InBandFailure)
    return apiError(cause.envelope, {
      operation: call.operation,
      surface: call.route.surface,
      status: info.status,
      requestId: info.requestId,
      secrets: call.secrets,
    });
  return publicError(cause, call.operation, info.attempts);
}
