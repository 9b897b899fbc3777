// Usage that has arrived before the end of a stream is a lower bound, however the stream ends: for the meter, onEnd and the span.
import { expect, it } from 'vitest';
import { otelHook } from '../../src/observe/index.ts';
import { type Client, newClient, type OperationOutcome, usageMeter } from '../../src/overlay/index.ts';
import { surfaces, transports } from '../support/both-ways.ts';
import { openFake } from '../support/fake.ts';
import { telemetry } from '../support/otel.ts';

const otel = telemetry();

/** On Responses the usage is a part of the event that ends the stream. Frames with 30 input tokens and 5 output tokens, before the end. */
const begun: Readonly<Record<string, readonly object[]>> = {
  chat: [
    { id: '1', choices: [{ index: 0, delta: { content: 'a' } }] },
    { id: '1', choices: [{ index: 0, delta: { content: 'b' } }], usage: { prompt_tokens: 30, completion_tokens: 5, total_tokens: 35 } },
  ],
  messages: [
    { type: 'message_start', message: { id: 'm', role: 'assistant', content: [], usage: { input_tokens: 30, output_tokens: 5 } } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  ],
};

interface Running {
  readonly client: Client;
  readonly abort: AbortController;
  readonly reset: () => void;
}

const endings: Readonly<Record<string, (running: Running, stream: AsyncIterableIterator<object>) => unknown>> = {
  'the caller leaves the loop': (_, stream) => stream.return?.(),
  'the caller aborts': ({ abort }) => abort.abort(),
  'the client is closed': ({ client }) => client.close(),
  'the connection is reset': ({ reset }) => reset(),
};

const cases = surfaces
  .filter(({ surface }) => begun[surface])
  .flatMap((driver) =>
    transports.flatMap(({ transport, overrides }) =>
      Object.entries(endings).map(([ending, end]) => ({ ending, surface: driver.surface, transport, driver, overrides, end })),
    ),
  );

it.each(cases)('$ending: $surface over $transport', async ({ driver, overrides, end, surface }) => {
  const meter = usageMeter();
  const outcomes: OperationOutcome[] = [];
  const { fake } = await openFake();
  const client = newClient(
    fake.configFor({ ...overrides, maxRetries: 0, hooks: [meter, otelHook(), { onEnd: (_, outcome) => void outcomes.push(outcome) }] }),
  );
  let reset = (): void => undefined;
  const sent = begun[surface] ?? [];
  async function* frames(): AsyncGenerator<object> {
    yield* sent;
    // The connection closes if the source throws.
    await new Promise((_, reject) => {
      reset = () => reject(new Error('reset'));
    });
  }
  fake.answer(driver.operation, { frames: frames() });
  const abort = new AbortController();
  const stream = driver.stream(client, abort.signal);
  for (const _ of sent) await stream.next();
  await end({ client, abort, reset: () => reset() }, stream);
  await stream.next().catch(() => undefined);
  await expect.poll(() => outcomes).toHaveLength(1);
  reset();
  expect(meter.totals().all).toMatchObject({ calls: 0, unseen: 1, inputTokens: 30, outputTokens: 5 });
  expect(outcomes[0]).toMatchObject({ usage: expect.anything() as unknown, usageIsFinal: false });
  const span = otel.spans().find(({ attributes }) => attributes['gen_ai.usage.input_tokens'] !== undefined);
  expect(span?.attributes).toMatchObject({ 'gen_ai.usage.input_tokens': 30 });
  expect(span?.attributes).not.toHaveProperty('gen_ai.usage.output_tokens');
  client.close();
});
