// The facts of the exchange of a result, and the bytes of its reply.
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import {
  type CollectingStream,
  type Context,
  collecting,
  defineTool,
  type ModelsvcError,
  newClient,
  responseInfo,
  toolRun,
} from '../../src/overlay/index.ts';
import { type Answer, fakeKey, faults } from '../../src/testing/index.ts';
import { collectedOf, onBothWays, taken, transports } from '../support/both-ways.ts';
import { everyOperation } from '../support/every-operation.ts';
import { failure } from '../support/failure.ts';
import { openFake, sharedFake } from '../support/fake.ts';

const fake = await sharedFake({ validate: false });
const json = { 'content-type': 'application/json' };
const text = (bytes: Uint8Array | undefined): string => new TextDecoder().decode(bytes);

const clock = defineTool({ name: 'clock', description: 'The time', input: { type: 'object' }, run: () => 'noon' });
const runOf = (result: object): object => toolRun(result as never)?.response as object;

onBothWays((driver, clientFor) => {
  test("the bytes are the reply's, on a fresh and on a warm socket, also compressed and retried", async () => {
    const client = clientFor(fake, { retryDelay: 1 });
    fake.answer(driver.operation, { turn: { text: 'Größe: 5 €' } });
    const ctx = { rawBody: true };
    const first = await driver.create(client, ctx);
    expect(JSON.parse(text(responseInfo(first)?.bytes))).toEqual(JSON.parse(JSON.stringify(first)));
    const body = `${JSON.stringify(first, null, 3)}\n`;
    fake.answer(driver.operation, { body, headers: json }, { ...faults.gzip(), reply: { body, headers: json } });
    for (const reply of [await driver.create(client, ctx), await driver.create(client, ctx)]) {
      const info = responseInfo(reply);
      expect(text(info?.bytes)).toBe(body);
      expect(info).toMatchObject({ status: 200, attempts: 1 });
      expect(info?.headers.get('content-type')).toBe('application/json');
    }
    fake.answer(driver.operation, faults.serverErrors(1), { body, headers: json });
    const retried = responseInfo(await driver.create(client, ctx));
    expect([text(retried?.bytes), retried?.attempts]).toEqual([body, 2]);
  });

  test('every form of a result has the request id, also of an answer that was withheld or cut off', async () => {
    const client = clientFor(fake, { maxRetries: 0 });
    const service = driver.service(client);
    const request = driver.request('hi');
    const thrown = async (work: Promise<unknown>): Promise<object> => (await failure(work)) as object;
    const partial = (error: object): object => (error as ModelsvcError).partial as object;
    const collected = (): CollectingStream<never, object> => collecting(service.stream(undefined, request) as never) as never;
    const read = async (stream: CollectingStream<never, object>): Promise<object> => {
      for await (const _ of stream);
      return stream.response();
    };
    const toolStream = async (): Promise<object> => {
      const stream = service.streamWithTools(undefined, request, [clock] as never);
      await taken(stream);
      return stream;
    };
    const cut = faults.truncatedStream();
    const whole: Answer = { turn: { text: 'no', finish: 'sensitive' } };
    const results: Record<string, [Answer, () => Promise<object>]> = {
      create: [whole, () => driver.create(client)],
      runWithTools: [whole, () => service.runWithTools(undefined, request, [clock] as never)],
      'toolRun of runWithTools': [whole, async () => runOf(await service.runWithTools(undefined, request, [clock] as never))],
      collect: [whole, () => collectedOf(driver.stream(client))],
      'collect of a collecting stream': [whole, () => collectedOf(collected())],
      'collecting, response() alone': [whole, () => collected().response()],
      'collecting, after the loop': [whole, () => read(collected())],
      'collecting itself': [
        whole,
        async () => {
          const stream = collected();
          await read(stream);
          return stream;
        },
      ],
      streamWithTools: [whole, toolStream],
      'toolRun of streamWithTools': [whole, async () => runOf(await toolStream())],
      'partial of collect': [cut, async () => partial(await thrown(collectedOf(driver.stream(client))))],
      'partial of collecting': [cut, async () => partial(await thrown(collected().response()))],
      'partial of streamWithTools': [
        cut,
        async () => partial((await taken(service.streamWithTools(undefined, request, [clock] as never))).error as object),
      ],
    };
    for (const [name, [answer, result]] of Object.entries(results)) {
      fake.answer(driver.operation, answer);
      const found = responseInfo(await result());
      expect(found?.requestId, name).toBe(fake.requests.at(-1)?.requestId);
      expect(found, name).toMatchObject({ status: 200, attempts: 1 });
    }
  });

  test('no bytes are kept without rawBody, nor of a stream', async () => {
    const client = clientFor(fake);
    fake.answer(driver.operation, { turn: { text: 'one' } }, { turn: { text: 'two' } });
    expect(responseInfo(await driver.create(client))?.bytes).toBeUndefined();
    const stream = driver.stream(client, { rawBody: true });
    expect(responseInfo(stream)).toBeUndefined();
    await stream.next();
    // Status and headers are known before the rest of the stream.
    expect(responseInfo(stream)).toMatchObject({ status: 200, bytes: undefined });
    expect(responseInfo(stream)?.headers.get('content-type')).toContain('text/event-stream');
    await taken(stream);
  });

  test('a tool loop has the bytes of its last reply', async () => {
    fake.answer(driver.operation, { turn: { toolCalls: [{ name: 'clock', arguments: {} }] } }, { turn: { text: 'noon' } });
    const tools = [{ type: 'function', name: 'clock', input_schema: { type: 'object' }, function: { name: 'clock' } }];
    const service = driver.service(clientFor(fake));
    const given = [{ rawBody: true }, driver.request('The time?', { tools }), () => '12:00'] as unknown as [Context, never, never];
    const reply = await service.runWithTools(...given);
    expect(toolRun(reply as never)?.modelCalls).toBe(2);
    expect(JSON.parse(text(responseInfo(reply)?.bytes))).toEqual(JSON.parse(JSON.stringify(reply)));
  });
});

describe.each(transports)('$transport', ({ overrides }) => {
  test.each(Object.entries(everyOperation))(
    '%s: with endpoints as a URL it is answered there, and its result has the facts of its exchange',
    async (id, { perform }) => {
      const result = (await perform(newClient({ apiKey: fakeKey, endpoints: fake.url, ...overrides }))) as object;
      expect(responseInfo(result)).toMatchObject({ status: 200, attempts: 1, bytes: undefined });
      expect(fake.requests.map(({ operation }) => operation)).toEqual([id]);
    },
  );
});

test('the bytes have a buffer of their own, and are not printed', async () => {
  const client = newClient(fake.configFor());
  fake.chat.reply('a secret answer');
  const info = responseInfo(await client.chat().createSimple({ rawBody: true }, 'glm-5.2', 'hi'));
  expect(text(info.bytes)).toContain('a secret answer');
  expect(info.bytes?.buffer.byteLength).toBe(info.bytes?.length);
  expect(info.bytes?.constructor).toBe(Uint8Array);
  expect(inspect(info, { depth: 9, showHidden: true }) + JSON.stringify(info)).not.toMatch(/secret|Uint8Array/);
});

test('the result of a job has them too', async () => {
  const client = newClient(fake.configFor());
  const task = await client.chat().createAsync(undefined, { model: 'glm-5.2', messages: [{ role: 'user', content: 'hi' }] });
  const result = await client.waitForResult({ rawBody: true }, task.id, 1);
  expect(JSON.parse(text(responseInfo(result).bytes))).toMatchObject({ id: task.id });
});

test('rawBody is true or false', async () => {
  const error = await failure(
    newClient(fake.configFor())
      .chat()
      .createSimple({ rawBody: 'yes' } as never, 'glm-5.2', 'hi'),
  );
  expect(error).toMatchObject({ kind: 'validation', path: 'ctx.rawBody', problem: 'must be true or false' });
  expect(fake.requests).toEqual([]);
});

describe.each(transports)('lists and batches over $transport', ({ overrides }) => {
  test('an item of all pages has the info of its page', async () => {
    const { fake, client } = await openFake(overrides).then((opened) => ({ ...opened, client: newClient(opened.fake.configFor(overrides)) }));
    const page = (id: string, more: boolean): Answer => ({ body: { object: 'list', data: [{ id }], last_id: id, has_more: more } });
    for (const [operation, listed] of [
      ['batch.list', () => client.batch().listAll(undefined)],
      ['files.list', () => client.files().listAll(undefined, { purpose: 'batch' })],
    ] as const) {
      const before = fake.requests.length;
      fake.answer(operation, page('a', true), page('b', false));
      const ids: unknown[] = [];
      for await (const item of listed()) ids.push(responseInfo(item).requestId);
      expect(ids).toEqual(fake.requests.slice(before).map(({ requestId }) => requestId));
    }
  });

  test('a response in a batch has the request id of its line', async () => {
    const { fake } = await openFake(overrides);
    const client = newClient(fake.configFor(overrides));
    fake.fallback('chat.create', { turn: { text: 'no', finish: 'sensitive' } });
    const body = { model: 'glm-4.6', messages: [{ role: 'user', content: 'hi' }] };
    const outcome = await client.batch().run(undefined, [{ custom_id: 'one', body }], { interval: 1 });
    expect(responseInfo(outcome.batch)?.requestId).toBeDefined();
    const response = outcome.results[0]?.response as object;
    expect(responseInfo(response)).toMatchObject({ requestId: expect.stringContaining('one'), status: 200, attempts: 1 });
  });
});
