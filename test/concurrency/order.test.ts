import { expect } from 'vitest';
import { type CallContext, type Client, defineTool, newClient } from '../../src/overlay/index.ts';
import { faults } from '../../src/testing/index.ts';
import { stoppedClock, until } from '../support/clock.ts';
import { failure } from '../support/failure.ts';
import { openFake } from '../support/fake.ts';
import { test } from '../support/fixture.ts';
import { held } from '../support/held.ts';

const model = 'glm-5.2';

/** The user texts of the requests in the order in which the fake got them. */
function textsOf(requests: readonly { readonly body: unknown }[]): string[] {
  return requests.map(({ body }) => (body as { messages: { content: string }[] }).messages[0]?.content ?? '');
}

function say(client: Client, text: string, ctx?: CallContext): Promise<unknown> {
  return client.chat().createSimple(ctx, model, text);
}

test('calls go by priority, then first come, first served', async () => {
  const { fake, client } = await openFake({ concurrency: 1 });
  const answers = held(fake);
  const calls = [say(client, 'first')];
  await until(() => answers.count === 1);
  for (const [text, priority] of [
    ['a', 0],
    ['low', -1],
    ['b', undefined],
    ['high', 10],
    ['c', 0],
    ['high too', 10],
    ['half', 0.5],
  ] as const)
    calls.push(say(client, text, priority === undefined ? undefined : { priority: priority }));
  answers.open();
  await Promise.all(calls);
  expect(textsOf(fake.requests)).toEqual(['first', 'high', 'high too', 'half', 'a', 'b', 'c', 'low']);
});

test('20 tool loops whose tools call the model themselves complete at a limit of 1, without a refusal', async () => {
  const { fake, client } = await openFake({ concurrency: 1 });
  fake.capacity({ atOnce: 1 });
  fake.fallback('chat.create', (request) => {
    const { messages } = request.body as { messages: { role: string; content: string }[] };
    const isInner = messages[0]?.content === 'inner';
    return { turn: isInner || messages.at(-1)?.role === 'tool' ? { text: 'done' } : { toolCalls: [{ name: 'ask' }] } };
  });
  const ask = defineTool({
    name: 'ask',
    description: 'asks the model',
    input: { type: 'object', properties: {} },
    run: async (_input, { signal }) => {
      await say(client, 'inner', signal);
      for await (const _item of client.chat().stream(signal, { model, messages: [{ role: 'user', content: 'inner' }] }));
      return 'said';
    },
  });
  const request = { model, messages: [{ role: 'user' as const, content: 'outer' }] };
  const runs = Array.from({ length: 20 }, (_, index) =>
    index % 2 === 0
      ? client.chat().runWithTools(undefined, request, [ask])
      : (async () => {
          for await (const _item of client.chat().streamWithTools(undefined, request, [ask]));
        })(),
  );
  await Promise.all(runs);
  expect(fake.mostAtOnce).toBe(1);
  expect(fake.requests).toHaveLength(20 * 4);
  expect(client.concurrency(model)).toMatchObject({ inFlight: 0, waiting: 0 });
});

test('a run that has begun comes before calls that have come later', async () => {
  const { fake, client } = await openFake({ concurrency: 1 });
  const answers = held(fake);
  fake.answer('chat.create', { turn: { toolCalls: [{ name: 'note' }] } });
  const note = defineTool({
    name: 'note',
    description: 'n',
    input: { type: 'object', properties: {} },
    run: () => {
      late.push(say(client, 'late'), say(client, 'later'));
      return 'noted';
    },
  });
  const late: Promise<unknown>[] = [];
  const run = client.chat().runWithTools(undefined, { model, messages: [{ role: 'user', content: 'run' }] }, [note]);
  const other = say(client, 'other');
  await until(() => late.length === 2 && answers.count === 1);
  answers.open();
  await Promise.all([run, other, ...late]);
  // The second round waits for the call that took the free place, and for no other.
  expect(textsOf(fake.requests)).toEqual(['run', 'other', 'run', 'late', 'later']);
});

test('the next probe of an overloaded model is another call', async ({ fake }) => {
  const clock = stoppedClock();
  const client = newClient(fake.configFor({ concurrency: { start: 1 }, retryDelay: 1000 }));
  fake.capacity({ overloaded: true });
  const texts = ['a', 'b', 'c', 'd', 'e'];
  const calls = texts.map((text) => say(client, text));
  await clock.until(() => fake.requests.length === 4, 100);
  fake.capacity({});
  await clock.run(Promise.all(calls), 100);
  expect(textsOf(fake.requests).slice(0, 5)).toEqual(texts);
});

test('starts are spaced after code 1303, and all calls succeed', async ({ fake }) => {
  const clock = stoppedClock();
  const client = newClient(fake.configFor({ concurrency: { start: 20 }, retryDelay: 200, maxRetries: 10 }));
  fake.fallback('chat.create', { turn: { text: 'yes' } }).capacity({ starts: { count: 20, perMs: 1000 } });
  await clock.run(Promise.all(Array.from({ length: 100 }, (_, index) => say(client, `${index}`))), 10);
  expect(fake.requests.length).toBeLessThan(300);
});

test('a timeout of the response header is an overload, and what waits is not sent into it', async ({ fake }) => {
  const clock = stoppedClock();
  const client = newClient(fake.configFor({ concurrency: { start: 2 }, retryDelay: 1000, timeout: 10_000 }));
  fake.answer('chat.create', faults.silentBeforeHeaders(), faults.silentBeforeHeaders());
  fake.fallback('chat.create', { turn: { text: 'yes' } });
  const failing = [failure(say(client, 'silent')), failure(say(client, 'silent too'))];
  const waiting = [say(client, 'one'), say(client, 'two')];
  await until(() => fake.requests.length === 2);
  clock.pass(10_100);
  for (const error of await Promise.all(failing)) expect(error).toMatchObject({ name: 'TimeoutError', phase: 'headers' });
  expect(client.concurrency(model)).toMatchObject({ limit: 1, inFlight: 0, waiting: 2 });
  expect(fake.requests).toHaveLength(2);
  await clock.run(Promise.all(waiting), 100);
});
