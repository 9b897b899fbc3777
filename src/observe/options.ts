import type { Attributes, Context, Meter, Tracer } from '@opentelemetry/api';
import { checkFields, type KnownFields } from '../overlay/json/known-fields.ts';
import { Problem } from '../overlay/json/problem.ts';

/** Receives log records. The loggers of `@opentelemetry/api` 1.10 and of `@opentelemetry/api-logs` have this method. */
export interface OtelLogger {
  emit(record: OtelLogRecord): void;
}

/** A log record, as loggers of `@opentelemetry/api-logs` take it. */
export interface OtelLogRecord {
  eventName: string;
  severityNumber: number;
  context: Context;
  attributes: Attributes;
}

/** Options of `otelHook`. All are optional. */
export interface OtelOptions {
  /** Default: a tracer of the global provider, looked up at each operation. */
  readonly tracer?: Tracer | undefined;
  /** Default: a meter of the global provider. */
  readonly meter?: Meter | undefined;
  /** Receives events. Default: a logger of the global provider if `@opentelemetry/api` is 1.10 or later, otherwise none. */
  readonly logger?: OtelLogger | undefined;
  /** Value of `gen_ai.provider.name`. Default: `z_ai`. */
  readonly provider?: string | undefined;
  /**
   * Where to record prompts, answers, tool arguments and tool results, which may be private. `span`: as span attributes, JSON text.
   * `event`: messages and tool definitions as the event `gen_ai.client.inference.operation.details`. Default: `none`.
   */
  readonly content?: 'none' | 'span' | 'event' | undefined;
  /** Maximum bytes of each attribute with content. Long texts are cut first, then the oldest messages left out. Default: 65,536. */
  readonly maxContentBytes?: number | undefined;
  /** Also emit the metric and attribute names of semantic conventions 1.41. Default: false. */
  readonly legacyNames?: boolean | undefined;
  /** Make a child span for each HTTP attempt. For programs without an HTTP instrumentation. Default: false. */
  readonly attempts?: boolean | undefined;
  /** Called at the start of each operation. Return false to leave it out; a promise counts as false. For instance, leave out calls inside a framework that traces them itself. */
  readonly enabled?: (() => boolean) | undefined;
}

export interface CheckedOptions extends OtelOptions {
  readonly provider: string;
  readonly content: 'none' | 'span' | 'event';
  readonly maxContentBytes: number;
}

const known: KnownFields<OtelOptions> = {
  tracer: 1,
  meter: 1,
  logger: 1,
  provider: 1,
  content: 1,
  maxContentBytes: 1,
  legacyNames: 1,
  attempts: 1,
  enabled: 1,
};
const contentModes = ['none', 'span', 'event'];

/** Throws a Problem for a wrong option. `hasLogs`: the installed API has loggers. */
export function checkedOptions(given: OtelOptions, hasLogs: boolean): CheckedOptions {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) throw new Problem('otelHook', 'takes an object of options');
  checkFields(given, known, 'otelHook');
  const options: CheckedOptions = {
    ...given,
    provider: given.provider ?? 'z_ai',
    content: given.content ?? 'none',
    maxContentBytes: given.maxContentBytes ?? 65_536,
  };
  const { tracer, meter, logger, provider, content, maxContentBytes, enabled } = options;
  requireMethod('tracer', tracer, 'startSpan', 'a Tracer');
  requireMethod('meter', meter, 'createHistogram', 'a Meter');
  requireMethod('logger', logger, 'emit', 'a Logger');
  if (typeof provider !== 'string' || provider === '') throw wrong('provider', 'must be a non-empty string');
  if (!contentModes.includes(content)) throw wrong('content', `must be one of ${contentModes.join(', ')}`);
  if (content === 'event' && !hasLogs && !logger) throw wrong('content', '"event" needs @opentelemetry/api 1.10 or later, or the option logger');
  if (!Number.isSafeInteger(maxContentBytes) || maxContentBytes < 64) throw wrong('maxContentBytes', 'must be an integer of at least 64');
  for (const name of ['legacyNames', 'attempts'] as const)
    if (given[name] !== undefined && typeof given[name] !== 'boolean') throw wrong(name, 'must be a boolean');
  if (enabled !== undefined && typeof enabled !== 'function') throw wrong('enabled', 'must be a function');
  return options;
}

function requireMethod(name: string, value: object | undefined, method: string, kind: string): void {
  if (value === undefined) return;
  if (typeof (value as Record<string, unknown> | null)?.[method] !== 'function') throw wrong(name, `must be ${kind}: it has no ${method}()`);
}

function wrong(name: string, text: string): Problem {
  return new Problem(`otelHook.${name}`, text);
}
