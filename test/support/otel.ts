import * as api from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { AggregationTemporality, InMemoryMetricExporter, MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { BasicTracerProvider, InMemorySpanExporter, type ReadableSpan, SimpleSpanProcessor, type SpanProcessor } from '@opentelemetry/sdk-trace-base';
import { afterAll, beforeEach } from 'vitest';

/** One data point of a metric. */
export interface Point {
  readonly name: string;
  readonly unit: string;
  readonly attributes: api.Attributes;
  /** The sum of a counter, or the sum and count of a histogram. */
  readonly sum: number;
  readonly count: number | undefined;
  readonly boundaries: readonly number[] | undefined;
}

export interface Telemetry {
  /** The spans that ended, in order. */
  spans(): readonly ReadableSpan[];
  /** Number of spans that started and did not end. */
  open(): number;
  points(): Promise<readonly Point[]>;
}

/** The SDK with in-memory exporters, as the global provider of a test file. Empty before each test. */
export function telemetry(): Telemetry {
  const spans = new InMemorySpanExporter();
  const metrics = new InMemoryMetricExporter(AggregationTemporality.DELTA);
  const reader = new PeriodicExportingMetricReader({ exporter: metrics, exportIntervalMillis: 2 ** 30 });
  let open = 0;
  const counter: SpanProcessor = {
    onStart: () => void open++,
    onEnd: () => void open--,
    forceFlush: async () => {},
    shutdown: async () => {},
  };
  const tracers = new BasicTracerProvider({ spanProcessors: [counter, new SimpleSpanProcessor(spans)] });
  const meters = new MeterProvider({ readers: [reader] });
  api.trace.setGlobalTracerProvider(tracers);
  api.metrics.setGlobalMeterProvider(meters);
  api.context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  beforeEach(async () => {
    await reader.forceFlush();
    metrics.reset();
    spans.reset();
    open = 0;
  });
  afterAll(async () => {
    for (const part of [api.trace, api.metrics, api.context, api.propagation]) part.disable();
    await Promise.all([tracers.shutdown(), meters.shutdown()]);
  });
  return {
    spans: () => spans.getFinishedSpans(),
    open: () => open,
    points: async () => {
      await reader.forceFlush();
      return metrics.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics.flatMap(pointsOf)));
    },
  };
}

type Metric = ReturnType<InMemoryMetricExporter['getMetrics']>[number]['scopeMetrics'][number]['metrics'][number];

function pointsOf({ descriptor: { name, unit }, dataPoints }: Metric): Point[] {
  return dataPoints.map(({ attributes, value }) => {
    if (typeof value === 'number') return { name, unit, attributes, sum: value, count: undefined, boundaries: undefined };
    const { sum = 0, count } = value;
    return { name, unit, attributes, sum, count, boundaries: 'buckets' in value ? value.buckets.boundaries : undefined };
  });
}

/** A tree of spans as indented names. */
export function treeOf(spans: readonly ReadableSpan[], parent?: string, indent: string = ''): string[] {
  const ids = new Set(spans.map((span) => span.spanContext().spanId));
  const isChild = (span: ReadableSpan): boolean => {
    const id = span.parentSpanContext?.spanId;
    return parent === undefined ? id === undefined || !ids.has(id) : id === parent;
  };
  return spans.filter(isChild).flatMap((span) => [indent + span.name, ...treeOf(spans, span.spanContext().spanId, `${indent}  `)]);
}
