import { describe, expect, test } from 'vitest';
import { type OtelOptions, otelHook } from '../../src/observe/index.ts';
import { isModelsvcError } from '../../src/overlay/index.ts';
import { faults } from '../../src/testing/index.ts';
import { onBothWays, taken } from '../support/both-ways.ts';
import { built, childOutcome } from '../support/child.ts';
import { sharedFake } from '../support/fake.ts';

const fake = await sharedFake();

test.each<[string, unknown, string]>([
  ['no object', 'all', 'otelHook takes an object of options'],
  ['null', null, 'otelHook takes an object of options'],
  ['a list', [], 'otelHook takes an object of options'],
  ['an unknown option', { contents: 'span' }, 'otelHook.contents is unknown; did you mean content?'],
  ['a tracer that is not one', { tracer: {} }, 'otelHook.tracer must be a Tracer: it has no startSpan()'],
  ['a tracer provider as tracer', { tracer: { getTracer: () => {} } }, 'otelHook.tracer must be a Tracer: it has no startSpan()'],
  ['null as tracer', { tracer: null }, 'otelHook.tracer must be a Tracer: it has no startSpan()'],
  ['a meter that is not one', { meter: 'm' }, 'otelHook.meter must be a Meter: it has no createHistogram()'],
  ['a logger that is not one', { logger: console }, 'otelHook.logger must be a Logger: it has no emit()'],
  ['an empty provider', { provider: '' }, 'otelHook.provider must be a non-empty string'],
  ['a provider that is no text', { provider: 7 }, 'otelHook.provider must be a non-empty string'],
  ['an unknown content mode', { content: 'full' }, 'otelHook.content must be one of none, span, event'],
  ['true as content', { content: true }, 'otelHook.content must be one of none, span, event'],
  ['events without a logger', { content: 'event' }, 'otelHook.content "event" needs @opentelemetry/api 1.10 or later, or the option logger'],
  ['a limit of 0', { maxContentBytes: 0 }, 'otelHook.maxContentBytes must be an integer of at least 64'],
  ['a limit that is no number', { maxContentBytes: '9000' }, 'otelHook.maxContentBytes must be an integer of at least 64'],
  ['an endless limit', { maxContentBytes: Number.POSITIVE_INFINITY }, 'otelHook.maxContentBytes must be an integer of at least 64'],
  ['legacyNames as text', { legacyNames: 'yes' }, 'otelHook.legacyNames must be a boolean'],
  ['attempts as a number', { attempts: 3 }, 'otelHook.attempts must be a boolean'],
  ['enabled as a value', { enabled: true }, 'otelHook.enabled must be a function'],
])('%s is a ConfigError that names the field', (_name, options, message) => {
  let error: unknown;
  try {
    otelHook(options as OtelOptions);
  } catch (thrown) {
    error = thrown;
  }
  expect(isModelsvcError(error, 'config')).toBe(true);
  expect((error as Error).message).toBe(message);
});

describe('without an SDK', () => {
  onBothWays((driver, clientFor) => {
    test('calls and streams work as without the hook, whatever the options', async () => {
      const hooks = [otelHook(), otelHook({ attempts: true, content: 'span', legacyNames: true, enabled: () => true })];
      const client = clientFor(fake, { hooks, retryDelay: 0 });
      fake.answer(driver.operation, ...faults.serverErrors(1), { turn: { text: 'ok' } }, { turn: { text: ['a', 'b'] } }, faults.truncatedStream());
      await driver.create(client);
      expect((await taken(driver.stream(client))).error).toBeUndefined();
      expect((await taken(driver.stream(client))).error).toMatchObject({ kind: 'stream' });
      for await (const _item of driver.stream(client)) break;
    });
  });

  test('starts no work: the request is not read, and an operation has no state', async () => {
    const hook = otelHook({ content: 'span' });
    const request = (): never => {
      throw new Error('read');
    };
    const meta = { kind: 'call', method: 'POST', endpoint: '/images/generations', model: '', origin: '', parent: undefined } as never;
    expect(hook.onStart?.(meta, { request, clean: String })).toBeUndefined();
  });

  test('an SDK that is set up after the client is used', async () => {
    const { stdout } = await childOutcome(
      `import * as api from '@opentelemetry/api';
      import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
      import { InMemoryMetricExporter, MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
      import { otelHook } from '${built('observe')}';
      const client = newClient({ ...${JSON.stringify(fake.configFor())}, hooks: [otelHook()] });
      const call = () => client.chat().create(undefined, { model: 'glm-5.2', messages: [{ role: 'user', content: 'hi' }] });
      await call();
      const spans = new InMemorySpanExporter();
      const metrics = new InMemoryMetricExporter(0);
      const reader = new PeriodicExportingMetricReader({ exporter: metrics });
      api.trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] }));
      api.metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }));
      await call();
      await reader.forceFlush();
      const points = metrics.getMetrics()[0].scopeMetrics[0].metrics.find(({ descriptor }) => descriptor.name.endsWith('inference.duration')).dataPoints;
      console.log(spans.getFinishedSpans().length, points[0].value.count);
      await reader.shutdown();`,
    );
    expect(stdout.trim()).toBe('1 1');
  });
});

test('only this entry loads the API', async () => {
  const { stdout } = await childOutcome(
    `import module from 'node:module';
    const loaded = () => Object.keys(module._cache).some((path) => path.includes('opentelemetry'));
    newClient({ apiKey: 'k' });
    const before = loaded();
    await import('${built('observe')}');
    console.log(before, loaded());`,
  );
  expect(stdout.trim()).toBe('false true');
});
