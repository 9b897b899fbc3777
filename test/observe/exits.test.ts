import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { describe, expect, test } from 'vitest';
import { otelHook } from '../../src/observe/index.ts';
import { isModelsvcError, newClient } from '../../src/overlay/index.ts';
import { faults, startFakeService } from '../../src/testing/index.ts';
import { onBothWays, surfaces, taken } from '../support/both-ways.ts';
import { built, childOutcome } from '../support/child.ts';
import { until } from '../support/clock.ts';
import { sharedFake } from '../support/fake.ts';
import { collectedEnd, menu } from '../support/menu.ts';
import { telemetry } from '../support/otel.ts';

const fake = await sharedFake();
const seen = telemetry();

/** The only span, ended once. */
function onlySpan() {
  const spans = seen.spans();
  expect([spans.length, seen.open()]).toEqual([1, 0]);
  return spans[0] as (typeof spans)[number];
}

const statusOf = { ok: SpanStatusCode.UNSET, abort: SpanStatusCode.UNSET };

// The hook does not depend on the transport: warm-sockets.test.ts has the hooks of each fault on both.
describe.each(surfaces)('$surface', (driver) => {
  test.each(
    menu.flatMap(({ name, fault, library, config }) =>
      [...library, collectedEnd(name, library)].map((expected, index) => ({
        way: ['whole', 'stream', 'collected'][index],
        name,
        fault,
        expected,
        config,
      })),
    ),
  )('$way: $name ends exactly one span: $expected', async ({ way, fault, expected, config }) => {
    fake.answer(driver.operation, fault);
    const bound = expected === 'timeout' ? 150 : 10_000;
    const limits = { maxRetries: 0, timeout: bound, streamIdleTimeout: bound, streamContentTimeout: bound, ...config };
    const client = newClient(fake.configFor({ ...limits, wholeReplies: way === 'whole', hooks: [otelHook()] }));
    const ctx = AbortSignal.timeout(expected === 'abort' ? 300 : 10_000);
    const { error } =
      way === 'stream'
        ? await taken(driver.stream(client, ctx))
        : await driver.create(client, ctx).then(
            () => ({ error: undefined }),
            (error: unknown) => ({ error }),
          );
    expect(isModelsvcError(error) ? error.kind : 'ok').toBe(expected);
    const { name, kind, attributes, status } = onlySpan();
    expect([name, kind]).toEqual(['chat glm-5.2', SpanKind.CLIENT]);
    expect(status.code).toBe(statusOf[expected as 'ok'] ?? SpanStatusCode.ERROR);
    const code = (error as { code?: string } | undefined)?.code;
    const type = expected === 'api' ? (code ?? 'api') : expected;
    expect(attributes['error.type']).toBe(['ok', 'abort'].includes(expected) ? undefined : type);
  });
});

onBothWays((driver, clientFor) => {
  test('an invalid request, an abort before, in the back-off and while reading, and leaving: one span each', async () => {
    const client = clientFor(fake, { hooks: [otelHook()], retryDelay: 60_000 });
    await expect(client.chat().create(undefined, { model: 'glm-5.2', messages: 7 as never })).rejects.toMatchObject({ kind: 'validation' });
    await driver.create(client, AbortSignal.abort()).catch(() => {});
    const controller = new AbortController();
    fake.answer(driver.operation, ...faults.serverErrors(1));
    const waiting = driver.create(client, controller.signal).catch(() => {});
    await until(() => fake.requests.length === 1);
    controller.abort();
    await waiting;
    const reading = new AbortController();
    fake.answer(driver.operation, { turn: { text: ['a', 'b', 'c'] } }, { turn: { text: ['a', 'b', 'c'] } });
    const stream = driver.stream(client, reading.signal);
    await stream.next();
    reading.abort();
    await stream.next().catch(() => {});
    for await (const _item of driver.stream(client)) break;
    await driver.stream(client).return?.();
    const ends = seen.spans().map(({ status, attributes }) => [status.code, attributes['error.type'], attributes['gen_ai.response.finish_reasons']]);
    expect(ends).toEqual([
      [SpanStatusCode.ERROR, 'validation', undefined],
      [SpanStatusCode.UNSET, undefined, undefined],
      [SpanStatusCode.UNSET, undefined, undefined],
      [SpanStatusCode.UNSET, undefined, ['error']],
      [SpanStatusCode.UNSET, undefined, ['error']],
      [SpanStatusCode.UNSET, undefined, undefined],
    ]);
    expect(seen.open()).toBe(0);
  });

  test('retries are events of the one span, and an error that a retry fixed is not its status', async () => {
    fake.answer(driver.operation, ...faults.serverErrors(1, 503), faults.rateLimit({ ms: 1 }), { turn: { text: 'ok' } });
    await driver.create(clientFor(fake, { hooks: [otelHook()], retryDelay: 0 }));
    const { events, status, attributes } = onlySpan();
    expect(events.map(({ name, attributes }) => [name, attributes?.['modelsvc.retry.attempt'], attributes?.['http.response.status_code']])).toEqual([
      ['modelsvc.retry', 1, 503],
      ['modelsvc.retry', 2, 429],
    ]);
    expect(events[1]?.attributes?.['modelsvc.retry.delay_ms']).toEqual(expect.any(Number));
    expect([status.code, attributes['error.type']]).toEqual([SpanStatusCode.UNSET, undefined]);
  });

  test('with `attempts`, each attempt is a child with HTTP attributes', async () => {
    fake.answer(driver.operation, ...faults.serverErrors(1, 503), { turn: { text: 'ok' } });
    await taken(driver.stream(clientFor(fake, { hooks: [otelHook({ attempts: true })], retryDelay: 0 })));
    const [first, second, whole] = seen.spans();
    const { path } = driver;
    const port = Number(new URL(fake.url).port);
    expect([first?.name, second?.name, whole?.name]).toEqual([`POST ${path}`, `POST ${path}`, 'chat glm-5.2']);
    for (const span of [first, second]) expect(span?.parentSpanContext?.spanId).toBe(whole?.spanContext().spanId);
    const shared = { 'http.request.method': 'POST', 'url.template': path, 'server.address': '127.0.0.1', 'server.port': port };
    expect(first?.attributes).toEqual({ ...shared, 'http.response.status_code': 503, 'error.type': '503' });
    expect(second?.attributes).toEqual({ ...shared, 'http.response.status_code': 200, 'http.request.resend_count': 1 });
    expect([first?.status.code, seen.open()]).toEqual([SpanStatusCode.ERROR, 0]);
  });
});

test('a dropped stream ends its span', async () => {
  const own = await startFakeService();
  try {
    own.fallback('*', faults.silentAfterHeaders(3));
    const { stdout } = await childOutcome(
      `import * as api from '@opentelemetry/api';
      import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
      import { otelHook } from '${built('observe')}';
      const exporter = new InMemorySpanExporter();
      api.trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }));
      const client = newClient({ ...${JSON.stringify(own.configFor())}, hooks: [otelHook()] });
      const request = { model: 'glm-5.2', messages: [{ role: 'user', content: 'hi' }] };
      await (async () => {
        client.chat().stream(undefined, request);
        await client.chat().stream(undefined, request).next();
      })();
      while (exporter.getFinishedSpans().length < 2) { gc(); await new Promise((resolve) => setTimeout(resolve, 5)); }
      console.log(exporter.getFinishedSpans().map(({ status, ended }) => status.code + ' ' + ended).join(', '));`,
      ['--expose-gc'],
    );
    expect(stdout.trim()).toBe('0 true, 0 true');
  } finally {
    await own.close();
  }
});

test.each([
  ['a code that is no plain word', faults.error(400, 'no such model: x y z', 'Unknown Model')],
  ['a reply without a business code', faults.htmlErrorPage()],
])('%s: error.type is the kind of the error', async (_name, fault) => {
  fake.answer('chat.create', fault);
  const client = newClient(fake.configFor({ maxRetries: 0, hooks: [otelHook()] }));
  await client
    .chat()
    .create(undefined, { model: 'glm-5.2', messages: [{ role: 'user', content: 'hi' }] })
    .catch(() => {});
  expect(onlySpan().attributes['error.type']).toBe('api');
});
