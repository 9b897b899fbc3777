// On the hosts of the service an answer is read as a stream, so that the header timeout does not end it.
import { expect, onTestFinished, test } from 'vitest';
import {
  answerOf,
  type CallContext,
  type Client,
  defineTool,
  type Hook,
  isModelsvcError,
  newClient,
  outputFormat,
  responseInfo,
  usageMeter,
} from '../../src/overlay/index.ts';
import { faults, type Reply } from '../../src/testing/index.ts';
import { onBothWays, type SurfaceDriver } from '../support/both-ways.ts';
import { stoppedClock, until } from '../support/clock.ts';
import { failure } from '../support/failure.ts';
import { sharedFake } from '../support/fake.ts';
import { openVendor } from '../support/vendor.ts';

const fake = await sharedFake();
const writer = await sharedFake();

/** The bytes of an answer as a stream. */
async function streamOf({ operation, path, request }: SurfaceDriver, turn: object): Promise<string> {
  writer.answer(operation, { turn } as never);
  const body = JSON.stringify({ ...(request('hi') as object), stream: true });
  const headers = { 'content-type': 'application/json', authorization: 'Bearer fake-id.fake-secret' };
  return (await fetch(writer.url + path, { method: 'POST', headers, body })).text();
}

/** A reply that stops after half of its bytes, until it may go on. */
function halted(text: string): { readonly reply: Reply; go(): void } {
  let go = (): void => undefined;
  const may = new Promise<void>((resolve) => (go = resolve));
  const bytes = new TextEncoder().encode(text);
  async function* blocks(): AsyncGenerator<Uint8Array> {
    yield bytes.subarray(0, bytes.length >> 1);
    await may;
    yield bytes.subarray(bytes.length >> 1);
  }
  return { reply: { body: blocks(), headers: { 'content-type': 'text/event-stream' } }, go: () => go() };
}

/** Notes when the first item of an answer has arrived, which the request of the fake does not. */
function arrival(): { readonly hooks: Hook[]; has: boolean } {
  const seen = { hooks: [] as Hook[], has: false };
  seen.hooks.push({ onChunk: () => void (seen.has = true) });
  return seen;
}

const schema = outputFormat({ type: 'object', properties: { a: { type: 'number' } } });
const tool = defineTool({ name: 'f', input: { type: 'object' }, run: () => 'ok' });

const ways: Readonly<Record<string, (driver: SurfaceDriver, client: Client, ctx?: CallContext) => Promise<object>>> = {
  create: (driver, client, ctx) => driver.create(client, ctx),
  parse: (driver, client, ctx) =>
    (driver.service(client) as never as { parse: (...given: unknown[]) => Promise<object> }).parse(ctx, driver.request('hi'), schema),
  runWithTools: (driver, client, ctx) => driver.service(client).runWithTools(ctx, driver.request('hi'), [tool] as never),
};

onBothWays((driver, clientFor) => {
  const { operation } = driver;

  test.each(Object.entries(ways))('%s: an answer that outlasts the limit for its header is returned', async (_name, call) => {
    const { reply, go } = halted(await streamOf(driver, { text: '{"a":1}' }));
    const clock = stoppedClock();
    fake.reset().answer(operation, reply);
    const first = arrival();
    const answer = call(driver, clientFor(fake, { maxRetries: 0, hooks: first.hooks }));
    await until(() => first.has);
    clock.pass(31_000);
    go();
    expect(answerOf((await answer) as never).text).toBe('{"a":1}');
    expect(responseInfo(await answer)).toMatchObject({ status: 200, attempts: 1 });
    expect(fake.requests.map(({ body }) => (body as { stream: unknown }).stream)).toEqual([true]);
  });

  test('silence within it ends it, and the error has what had arrived, and lower bounds', async () => {
    const { reply } = halted(await streamOf(driver, { text: Array.from({ length: 30 }, () => 'one '), usage: { input: 7, output: 4 } }));
    const clock = stoppedClock();
    const meter = usageMeter();
    fake.reset().answer(operation, reply);
    const first = arrival();
    const broken = failure(driver.create(clientFor(fake, { hooks: [meter, ...first.hooks], maxRetries: 2 })));
    await until(() => first.has);
    const error = await clock.run(broken, 1000);
    expect(isModelsvcError(error, 'timeout') && error.phase).toBe('body');
    expect(answerOf((error as { partial?: never }).partial as never).text).toMatch(/^one /);
    // Part of it has come, so it is not sent again.
    expect(fake.requests).toHaveLength(1);
    expect(meter.totals().all).toMatchObject({ calls: 0, unseen: 1 });
  });

  test.each([
    ['a cut', faults.truncatedStream()],
    ['a broken socket', faults.resetMidBody(3000)],
    ['an error of the service', faults.inBandError('1234', 'x', 8)],
    ['an abort', faults.silentAfterHeaders(3)],
  ])('%s has what had arrived as partial, and is sent once', async (name, fault) => {
    fake.reset().answer(operation, { ...fault, reply: { turn: { text: Array.from({ length: 30 }, () => 'one ') } } } as never);
    const leaving = new AbortController();
    onTestFinished(() => leaving.abort());
    const begun = { onChunk: () => void (name === 'an abort' && leaving.abort()) };
    const error = await failure(driver.create(clientFor(fake, { hooks: [begun], maxRetries: 2 }), leaving.signal));
    expect(answerOf((error as { partial?: never }).partial as never).text).toMatch(name === 'an abort' ? /^/ : /^one /);
    expect(fake.requests).toHaveLength(1);
    expect(Object.keys(error as object)).not.toContain('partial');
  });

  test.each(['text/json', 'application/json', 'text/plain', 'text/event-stream', ''])('JSON under the type "%s" is the reply', async (type) => {
    writer.answer(operation, { turn: { text: 'whole' } });
    const whole = await driver.create(newClient(writer.configFor({ wholeReplies: true })));
    const body = (): Reply => ({
      body: new TextEncoder().encode(`\n ${JSON.stringify(whole)}`),
      headers: type === '' ? {} : { 'content-type': type },
    });
    fake.reset().answer(operation, body());
    expect(JSON.parse(JSON.stringify(await driver.create(clientFor(fake))))).toEqual(JSON.parse(JSON.stringify(whole)));
    expect(fake.requests).toHaveLength(1);
  });

  test('hooks see one call that streams, with its result', async () => {
    const seen: unknown[] = [];
    const hook = {
      onStart: ({ stream }: { stream: boolean }) => void seen.push(['start', stream]),
      onChunk: () => void (seen.at(-1) !== 'chunk' && seen.push('chunk')),
      onEnd: (_meta: unknown, outcome: { kind: string; result(): unknown }) => void seen.push([outcome.kind, outcome.result()]),
    };
    fake.reset().answer(operation, { turn: { text: 'yes' } });
    const reply = await driver.create(clientFor(fake, { hooks: [hook as never] }));
    expect(seen).toEqual([['start', true], 'chunk', ['ok', reply]]);
  });

  test('whole is what was asked for as whole', async () => {
    const asked: unknown[] = [];
    fake.reset().fallback(operation, ({ body }) => {
      asked.push((body as { stream?: boolean }).stream);
      return { turn: { text: 'yes' } };
    });
    const service = driver.service(clientFor(fake));
    const call = (ctx: object | undefined, more: object): Promise<object> => service.create(ctx, driver.request('hi', more));
    await call({ wholeReplies: true }, {});
    await call({ rawBody: true }, {});
    await call(undefined, { stream: false });
    await call(undefined, { model: 'glm-4-voice' });
    await driver.create(clientFor(fake, { wholeReplies: true }));
    await driver.service(clientFor(fake, { wholeReplies: true })).create({ wholeReplies: false }, driver.request('hi'));
    expect(asked).toEqual([undefined, undefined, false, undefined, undefined, true]);
    expect(await failure(call(undefined, { stream: true }))).toMatchObject({ kind: 'validation' });
    expect(await failure(call({ wholeReplies: 'no' }, {}))).toMatchObject({ kind: 'validation', path: 'ctx.wholeReplies' });
  });

  test('what a collected answer lacks in comparison to a plain reply', async () => {
    const turns = [{ text: 'yes', reasoning: 'so' }, { toolCalls: [{ id: 'a', name: 'f', arguments: { n: 1 } }] }, { text: 'y', finish: 'length' }];
    for (const turn of turns) {
      const replies: object[] = [];
      for (const wholeReplies of [true, false]) {
        fake.reset().answer(operation, { turn });
        replies.push(await driver.create(clientFor(fake, { wholeReplies })));
      }
      const [whole, collected] = replies.map((one) => fieldsIn(JSON.parse(JSON.stringify(one))));
      expect(whole?.filter((field) => !collected?.includes(field))).toEqual(driver.surface === 'chat' ? ['request_id'] : []);
    }
  });
});

/** The paths of all fields, without the numbers of lists. */
function fieldsIn(value: unknown, path = ''): string[] {
  if (typeof value !== 'object' || value === null) return [path];
  return [
    ...new Set(Object.entries(value).flatMap(([name, one]) => fieldsIn(one, Array.isArray(value) ? path : path === '' ? name : `${path}.${name}`))),
  ];
}

test('the host decides: the service gets a stream, another host does not, whatever its rules are', async () => {
  const { fake: vendor, clientOf } = await openVendor();
  const asked = (): unknown => (vendor.requests.at(-1)?.body as { stream?: boolean } | undefined)?.stream;
  const request = { model: 'glm-5.3', messages: [{ role: 'user' as const, content: 'hi' }] };
  await clientOf().chat().create(undefined, request);
  expect(asked()).toBe(true);
  await clientOf({ serviceRules: false }).chat().create(undefined, request);
  expect(asked()).toBe(true);
  fake.reset();
  for (const serviceRules of [true, false])
    await newClient({ apiKey: 'fake-id.fake-secret', endpoints: fake.url, serviceRules }).chat().create(undefined, request);
  expect(fake.requests.map(({ body }) => (body as { stream?: boolean }).stream)).toEqual([undefined, undefined]);
});

test('pages of a web search in several chunks are joined', async () => {
  const page = (link: string): object => ({ link });
  const chunk = (more: object): object => ({ id: '1', choices: [{ index: 0, delta: { content: 'a' } }], ...more });
  const frames = [
    chunk({ web_search: [page('a')] }),
    chunk({ web_search: [page('b')] }),
    { id: '1', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
  ];
  fake.reset().answer('chat.create', { frames: [...frames.map((one) => `data: ${JSON.stringify(one)}\n\n`), 'data: [DONE]\n\n'] });
  const reply = await newClient(fake.configFor()).chat().createSimple(undefined, 'glm-5.3', 'hi');
  expect(reply).toMatchObject({ web_search: [page('a'), page('b')] });
});
