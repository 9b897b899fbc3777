import * as api from '@opentelemetry/api';
import { isModelsvcError } from '../overlay/errors/guards.ts';
import type { ChunkInfo, OperationContent, OperationMeta, OperationOutcome } from '../overlay/hooks/hook.ts';
import { quietly } from '../overlay/hooks/safety.ts';
import { Collector } from './collector.ts';
import type { Instruments } from './instruments.ts';
import { inputContent, outputContent, structured } from './messages.ts';
import type { CheckedOptions, OtelLogger } from './options.ts';
import { errorType, responseAttributes, spanTokens } from './outcome.ts';
import { fittingJson, withoutKeys } from './span-content.ts';
import { declaredTools, effortAttributes, requestAttributes, type SpanShape } from './span-shape.ts';

/** Severity WARN and INFO of log records. */
const warn = 13;
const info = 9;

/** The context for the calls and attempts of an operation. An operation without a span has the context of its parent. */
export interface SpanScope {
  readonly meta: OperationMeta;
  readonly context: api.Context;
  /** Context of the current attempt, if attempts have spans. */
  attemptContext?: api.Context;
  /** Span and metrics of the operation. */
  readonly observation?: Observation;
}

/** Where an observation is recorded. */
export interface Sinks {
  readonly options: CheckedOptions;
  readonly instruments: Instruments | undefined;
  readonly logger: OtelLogger | undefined;
}

/** The span, the metrics and the events of one operation. */
export class Observation {
  readonly #meta: OperationMeta;
  readonly #shape: SpanShape;
  readonly #span: api.Span | undefined;
  readonly #context: api.Context;
  readonly #sinks: Sinks;
  readonly #source: OperationContent;
  readonly #calls = { inference: 0, tools: 0 };
  #tools: ReadonlyMap<string, string> = new Map();
  /** Attributes with content, for the event at the end. */
  #content: api.Attributes = {};
  #collector: Collector | undefined;
  #lastChunkMs: number | undefined;

  constructor(meta: OperationMeta, source: OperationContent, shape: SpanShape, span: api.Span | undefined, context: api.Context, sinks: Sinks) {
    this.#meta = meta;
    this.#source = source;
    this.#shape = shape;
    this.#span = span?.isRecording() ? span : undefined;
    this.#context = context;
    this.#sinks = sinks;
  }

  /** Adds the details of the request to the span. */
  started(request: () => unknown): void {
    this.#span?.setAttributes({ ...this.#shape.details, ...effortAttributes(this.#meta) });
    if (this.#shape.isClient) this.#span?.setAttributes(withoutKeys(requestAttributes(request()), this.#source) as api.Attributes);
    if (!this.#recordsContent()) return;
    if (this.#meta.kind === 'tool.call') this.#keep({ 'gen_ai.tool.call.arguments': structured(request()) });
    else this.#keep(inputContent(request()));
    if (this.#meta.stream) this.#collector = new Collector(this.#meta.surface, this.#sinks.options.maxContentBytes);
  }

  /** Counts a call or a tool of this tool loop. The tools are read from the first call, because all calls declare the same ones. */
  counts(shape: SpanShape, request: () => unknown): void {
    if (shape.operation === 'chat' && this.#calls.inference++ === 0) this.#tools = declaredTools(request());
    if (shape.operation === 'execute_tool') this.#calls.tools++;
  }

  /** Description of a tool that this tool loop declares. The model may request others. */
  descriptionOf(tool: string): string | undefined {
    return this.#tools.get(tool);
  }

  retried(attempt: number, error: unknown, delayMs: number): void {
    const status = statusOf(error);
    this.#span?.addEvent('modelsvc.retry', {
      'error.type': errorType(error),
      'modelsvc.retry.attempt': attempt + 1,
      'modelsvc.retry.delay_ms': delayMs,
      ...(status === undefined ? {} : { 'http.response.status_code': status }),
    });
  }

  chunk({ elapsedMs, content }: ChunkInfo): void {
    if (this.#lastChunkMs !== undefined) this.#sinks.instruments?.chunk(this.#shape, elapsedMs - this.#lastChunkMs);
    this.#lastChunkMs = elapsedMs;
    this.#collector?.add(content());
  }

  ended(outcome: OperationOutcome): void {
    try {
      const { instruments, logger } = this.#sinks;
      const failure = outcome.kind === 'error' ? errorType(outcome.error) : undefined;
      // A fetched response repeats the usage of the call that generated it.
      const { operation } = this.#shape;
      const counted = operation === 'fetch_response' ? undefined : spanTokens(outcome);
      // A vector is not an output of tokens, although the service counts 0.
      const tokens = counted && operation === 'embeddings' ? { ...counted, output: undefined } : counted;
      api.context.with(this.#context, () => instruments?.ended(this.#shape, outcome, tokens, this.#calls));
      if (this.#shape.isClient) this.#span?.setAttributes(responseAttributes(outcome, tokens, this.#sinks.options.legacyNames ?? false));
      if (failure !== undefined) this.#failed(outcome.error, failure, logger);
      if (this.#recordsContent()) quietly(() => this.#output(outcome));
      if (Object.keys(this.#content).length > 0 && this.#sinks.options.content === 'event') this.#emitContent(logger);
    } finally {
      this.#span?.end();
    }
  }

  #failed(error: unknown, type: string, logger: OtelLogger | undefined): void {
    // The message of a tool's own error may contain content.
    const message = isModelsvcError(error) ? error.message : undefined;
    this.#span?.setStatus({ code: api.SpanStatusCode.ERROR, ...(message === undefined ? {} : { message }) });
    this.#span?.setAttribute('error.type', type);
    if (!this.#shape.isClient || !isModelsvcError(error)) return;
    this.#span?.setAttribute('modelsvc.billed', error.billed);
    const attributes = { ...this.#shape.attributes, 'exception.type': error.name, 'exception.message': error.message };
    logger?.emit({ eventName: 'gen_ai.client.operation.exception', severityNumber: warn, context: this.#context, attributes });
  }

  #recordsContent(): boolean {
    const { content } = this.#sinks.options;
    if (this.#shape.operation === '' || content === 'none') return false;
    return content === 'event' ? this.#shape.isClient : this.#span !== undefined;
  }

  #output(outcome: OperationOutcome): void {
    if (this.#meta.kind === 'tool.call') return this.#keep({ 'gen_ai.tool.call.result': structured(outcome.result()) });
    // A call whose answer is collected from a stream has a result too.
    const messages = outputContent(outcome.result() ?? this.#collector?.response(), this.#sinks.options.legacyNames ?? false);
    this.#keep({ 'gen_ai.output.messages': messages });
  }

  /** Sets content on the span, or keeps it for the event. */
  #keep(content: Readonly<Record<string, unknown>>): void {
    const { maxContentBytes, content: mode } = this.#sinks.options;
    for (const [name, value] of Object.entries(content)) {
      if (value === undefined) continue;
      const json = fittingJson(withoutKeys(value, this.#source), maxContentBytes);
      if (mode === 'span') this.#span?.setAttribute(name, json);
      else this.#content[name] = JSON.parse(json) as api.AttributeValue;
    }
  }

  #emitContent(logger: OtelLogger | undefined): void {
    const attributes = { ...this.#shape.attributes, ...this.#content };
    logger?.emit({ eventName: 'gen_ai.client.inference.operation.details', severityNumber: info, context: this.#context, attributes });
  }
}

export function statusOf(error: unknown): number | undefined {
  const { status } = error as { readonly status?: unknown };
  return typeof status === 'number' ? status : undefined;
}
