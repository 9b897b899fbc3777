import * as api from '@opentelemetry/api';
import { isModelsvcError } from '../overlay/errors/guards.ts';
import type { RequestMeta } from '../overlay/hooks/hook.ts';
import { type SpanScope, statusOf } from './observation.ts';
import { errorType } from './outcome.ts';
import { serverOf } from './span-shape.ts';

/** Starts the span of an attempt, for programs without an HTTP instrumentation. */
export function startAttempt(tracer: api.Tracer, meta: RequestMeta, scope: SpanScope): api.Span {
  const { method, endpoint, attempt, operation } = meta;
  const attributes: api.Attributes = { 'http.request.method': method, ...serverOf(operation.origin) };
  if (endpoint !== '') attributes['url.template'] = endpoint;
  if (attempt > 0) attributes['http.request.resend_count'] = attempt;
  const name = endpoint === '' ? method : `${method} ${endpoint}`;
  const span = tracer.startSpan(name, { kind: api.SpanKind.CLIENT, attributes }, scope.context);
  scope.attemptContext = api.trace.setSpan(scope.context, span);
  return span;
}

export function endAttempt(span: api.Span, status: number | undefined, error?: unknown): void {
  if (status !== undefined) span.setAttribute('http.response.status_code', status);
  if (error !== undefined && !isModelsvcError(error, 'abort')) {
    span.setAttribute('error.type', status !== undefined && status >= 400 ? String(status) : errorType(error));
    span.setStatus({ code: api.SpanStatusCode.ERROR });
  }
  span.end();
}

/** Ends the span of an attempt that failed. */
export function failAttempt(span: api.Span, error: unknown): void {
  endAttempt(span, statusOf(error), error);
}
