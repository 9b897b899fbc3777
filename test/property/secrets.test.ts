import { inspect } from 'node:util';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Hook, newClient } from '../../src/overlay/index.ts';
import { type FakeService, type Fault, faults, startFakeService } from '../../src/testing/index.ts';
import { transports } from '../fault/both-ways.ts';

let fake: FakeService;
const apiKey = 'KEY-ID-4711.KEY-SECRET-4711';
beforeAll(async () => {
  fake = await startFakeService({ keys: [apiKey], validate: false });
});
afterAll(() => fake.close());

const prompt = 'PROMPT-MARKER';
const header = 'HEADER-MARKER';
const tool = 'TOOL-MARKER';

const anyFault: fc.Arbitrary<Fault> = fc.constantFrom<Fault>(
  faults.resetBeforeHeaders(),
  faults.resetMidBody(),
  faults.silentBeforeHeaders(),
  faults.silentAfterHeaders(),
  faults.truncatedStream('midFrame'),
  faults.emptyStream(),
  faults.malformedFrame(1, `{"echo": ${prompt} ${apiKey} ${tool}`),
  faults.inBandError('1234', `your key ${apiKey} failed`),
  faults.eventError('1305', `Bearer ${apiKey}`),
  faults.jsonForStream(),
  faults.streamForJson(),
  faults.htmlErrorPage(502),
  faults.error(400, '1210', `bad key ${apiKey}`),
  faults.error(401, '401', apiKey.split('.')[1]),
  faults.rateLimit({ seconds: 120 }),
  faults.embeddedFailure(undefined, '1113', `key ${apiKey}`),
  faults.redirect('https://example.invalid/', 302),
);

/** Everything of an error that a log could show. */
function shown(error: unknown): string {
  return [String(error), inspect(error, { depth: 10, showHidden: true }), JSON.stringify(error), error instanceof Error ? error.stack : ''].join(
    '\n',
  );
}

test('no key, header, prompt or tool argument in any message, cause, inspect output or hook meta', async () => {
  await fc.assert(
    fc.asyncProperty(anyFault, fc.constantFrom(...transports), fc.boolean(), fc.boolean(), async (fault, { overrides }, streamed, messages) => {
      const seen: string[] = [];
      const hook: Hook = {
        onRequest: (meta) => void seen.push(inspect(meta)),
        onResponse: (meta) => void seen.push(inspect({ ...meta, usage: undefined })),
        onError: (meta, error) => void seen.push(inspect(meta), shown(error)),
      };
      const client = newClient(fake.configFor({ ...overrides, apiKey, hooks: [hook], timeout: 40, streamIdleTimeout: 40, maxRetries: 1 }));
      fake.reset();
      fake.fallback('*', fault);
      const ctx = { headers: { 'x-extra': header } };
      const base = { model: 'glm-5.2', messages: [{ role: 'user', content: prompt }] };
      const schema = { type: 'object' as const, description: tool };
      const chat = { ...base, tools: [{ type: 'function' as const, function: { name: 'lookup', parameters: schema } }] };
      const message = { ...base, max_tokens: 5, tools: [{ name: 'lookup', input_schema: schema }] };
      const failure = await (async () => {
        if (streamed) for await (const _ of messages ? client.anthropic().stream(ctx, message) : client.chat().stream(ctx, chat));
        else await (messages ? client.anthropic().create(ctx, message) : client.chat().create(ctx, chat));
      })().catch((error: unknown) => error);
      const log = [shown(failure), ...seen].join('\n');
      for (const marker of [apiKey, 'KEY-SECRET-4711', prompt, header, tool]) expect(log).not.toContain(marker);
    }),
    { numRuns: 150 },
  );
  await fake.idle();
});

test('a client does not show its key', () => {
  const client = newClient({ apiKey });
  client.chat();
  expect(shown(client)).not.toContain('KEY-SECRET');
});
