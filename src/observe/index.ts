/** OpenTelemetry traces and metrics of calls: entry `modelsvc/observe`. */
import * as api from '@opentelemetry/api';
import { configured } from '../overlay/errors/problem.ts';
import type { Hook, OperationContent, OperationMeta } from '../overlay/hooks/hook.ts';
import { quietly } from '../overlay/hooks/safety.ts';
import { logsApi, Outlets } from './api.ts';
import { endAttempt, failAttempt, startAttempt } from './attempt-span.ts';
import { Observation, type SpanScope } from './observation.ts';
import { checkedOptions, type OtelLogger, type OtelLogRecord, type OtelOptions } from './options.ts';
import { shapeOf } from './span-shape.ts';

export type { OtelLogger, OtelLogRecord, OtelOptions };

/**
 * Creates a hook that records spans and metrics by the GenAI semantic conventions: `newClient({ apiKey, hooks: [otelHook()] })`. It uses
 * the OpenTelemetry SDK of the program, and does no work without one. It records no prompts or answers unless `content` is set, and sends
 * no trace headers. Throws a ConfigError for a wrong option.
 */
export function otelHook(options: OtelOptions = {}): Hook {
  const checked = configured(() => checkedOptions(options, logsApi() !== undefined));
  const outlets = new Outlets(checked);
  const { enabled, attempts, provider } = checked;
  /** The operations in progress. Calls and tools look up the operation that they are a part of. */
  const scopes = new WeakMap<OperationMeta, SpanScope>();

  const start = (meta: OperationMeta, content: OperationContent): SpanScope | undefined => {
    const tracer = outlets.tracer();
    const instruments = outlets.instruments();
    if ((!tracer && !instruments && !checked.logger) || (enabled && quietly(enabled) !== true)) return undefined;
    const parent = meta.parent && scopes.get(meta.parent);
    const outer = parent?.context ?? api.context.active();
    let given: { readonly value: unknown } | undefined;
    const request = (): unknown => (given ??= { value: content.request() }).value;
    const run = parent?.observation;
    const shape = shapeOf(meta, content, { provider, description: run?.descriptionOf(meta.operation), request });
    if (!shape) return { meta, context: outer };
    run?.counts(shape, request);
    const kind = shape.isClient ? api.SpanKind.CLIENT : api.SpanKind.INTERNAL;
    const span = tracer?.startSpan(shape.name, { kind, attributes: shape.attributes }, outer);
    const context = span ? api.trace.setSpan(outer, span) : outer;
    const observation = new Observation(meta, content, shape, span, context, { options: checked, instruments, logger: outlets.logger() });
    // An error here must not lose the span, which has started and must end.
    quietly(() => observation.started(request));
    return { meta, context, observation };
  };

  const hook: Hook<api.Span | undefined, SpanScope | undefined> = {
    onStart(meta, content) {
      const scope = start(meta, content);
      if (scope) scopes.set(meta, scope);
      return scope;
    },
    around(scope, run) {
      if (scope) api.context.with(scope.attemptContext ?? scope.context, run);
      else run();
    },
    onRetry({ operation, attempt }, error, delayMs) {
      if (delayMs !== undefined) scopes.get(operation)?.observation?.retried(attempt, error, delayMs);
    },
    onChunk: ({ operation }, chunk) => scopes.get(operation)?.observation?.chunk(chunk),
    onEnd: (_meta, outcome, scope) => scope?.observation?.ended(outcome),
    ...(attempts && {
      onRequest(meta) {
        const scope = scopes.get(meta.operation);
        const tracer = scope && outlets.tracer();
        return tracer && startAttempt(tracer, meta, scope);
      },
      onResponse: ({ status }, span) => span && endAttempt(span, status),
      onError: (_meta, error, span) => span && failAttempt(span, error),
    }),
  };
  return hook as Hook;
}
