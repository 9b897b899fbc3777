// A call that another model answers.
import { describe, expect, test } from 'vitest';
import {
  type CallContext,
  Chat,
  type Client,
  type Context,
  defineTool,
  type Hook,
  isAbortError,
  isApiError,
  isConnectionError,
  isValidationError,
  newBudget,
  newClient,
  newService,
  type OperationMeta,
  responseFormat,
  responseInfo,
  toolRun,
} from '../../src/overlay/index.ts';
import { type Fault, faults, type Reply } from '../../src/testing/index.ts';
import { onBothWays, type SurfaceDriver, taken, textIn } from '../support/both-ways.ts';
import { stoppedClock } from '../support/clock.ts';
import { failure } from '../support/failure.ts';
import { sharedFake } from '../support/fake.ts';

const fake = await sharedFake();
const [own, second, third] = ['glm-5.2', 'glm-5.3', 'glm-4.7'] as const;
const fallback = [second, third];
const reply: Reply = { turn: { text: ['one ', 'two'] } };
const overload = faults.rateLimit(undefined, '1305');
const once = { maxRetries: 0 };

/** Each model has its answer; one without is overloaded. */
function serving(operation: SurfaceDriver['operation'], answers: Readonly<Record<string, Reply | Fault>>): void {
  fake.fallback(operation, (request) => answers[modelOf(request)] ?? overload);
}

function modelOf({ body }: { readonly body?: unknown }): string {
  return (body as { model: string }).model;
}

const asked = (): string[] => fake.requests.map(modelOf);

onBothWays((driver, clientFor) => {
  const create = (client: Client, ctx: CallContext = { fallback }, more: object = {}): Promise<object> =>
    driver.service(client).create(ctx, driver.request('hi', more));
  const stream = (client: Client, ctx: CallContext = { fallback }, more: object = {}): AsyncIterableIterator<object> =>
    driver.service(client).stream(ctx, driver.request('hi', more));

  test('an overloaded model: the next one answers, whole and streamed, and the info has both', async () => {
    serving(driver.operation, { [second]: reply });
    const client = clientFor(fake, once);
    const info = { model: second, from: own, passed: [{ model: own, why: 'refused with code 1305', attempts: 1 }] };
    expect(responseInfo(await create(client))?.fallback).toEqual(info);
    const streaming = stream(client);
    const streamed = await taken(streaming);
    expect([streamed.error, textIn(streamed.items)]).toEqual([undefined, 'one two']);
    expect(responseInfo(streaming)?.fallback).toEqual(info);
    expect(asked()).toEqual([own, second, own, second]);
  });

  test('it comes after the retries, and the model of the request stays first', async () => {
    fake.answer(driver.operation, overload, overload, reply, overload, reply);
    const client = clientFor(fake, { maxRetries: 1, retryDelay: 0 });
    expect(responseInfo(await create(client))).toMatchObject({ attempts: 1, fallback: { model: second, passed: [{ attempts: 2 }] } });
    const again = responseInfo(await create(client));
    expect([again?.attempts, again?.fallback]).toEqual([2, undefined]);
    expect(asked()).toEqual([own, own, second, own, own]);
  });

  test.each<[string, Fault]>([
    ['1305', overload],
    ['1312', faults.rateLimit(undefined, '1312')],
    ['status 529', faults.error(529, 'overloaded_error')],
    ['1211', faults.error(400, '1211')],
    ['1311', faults.rateLimit(undefined, '1311')],
    ['1304', faults.rateLimit(undefined, '1304')],
    ['1305 inside a 200', faults.embeddedFailure(undefined, '1305')],
    ['1305 as the first frame', faults.inBandError('1305', 'busy', 0)],
    ['1305 as the first event', faults.eventError('1305', 'busy', 0)],
  ])('a refusal of the model alone: %s', async (_name, fault) => {
    fake.answer(driver.operation, fault, reply, fault, reply);
    const client = clientFor(fake, once);
    await create(client);
    expect(textIn((await taken(stream(client))).items)).toBe('one two');
    expect(asked()).toEqual([own, second, own, second]);
  });

  test.each<[string, Fault]>([
    ['1302, of the account', faults.rateLimit()],
    ['1308, of the plan', faults.rateLimit(undefined, '1308')],
    ['1113', faults.rateLimit(undefined, '1113')],
    ['1000', faults.error(401, '1000')],
    ['1210', faults.error(400, '1210')],
    ['1301', faults.error(400, '1301')],
    ['a server error', faults.error(500, '500')],
    ['a reset before the header', faults.resetBeforeHeaders()],
  ])('no other model is asked after %s', async (_name, fault) => {
    fake.fallback(driver.operation, fault);
    const client = clientFor(fake, once);
    expect(await failure(create(client))).toSatisfy((error) => isApiError(error) || isConnectionError(error));
    expect((await taken(stream(client))).error).toBeDefined();
    expect(asked()).toEqual([own, own]);
  });

  test('nor after one attempt whose outcome is unknown, an answer with counts, or the first item', async () => {
    const client = clientFor(fake, { maxRetries: 1, retryDelay: 0 });
    fake.answer(driver.operation, faults.resetBeforeHeaders(), overload, reply);
    expect(await failure(create(client))).toMatchObject({ code: '1305', attempts: 2 });
    fake.reset();
    fake.answer(driver.operation, { ...faults.inBandError('1305', 'busy', 1), reply }, reply);
    expect((await taken(stream(client))).error).toMatchObject({ code: '1305' });
    const body = JSON.stringify({ error: { code: '1305', message: 'busy' }, usage: { total_tokens: 7 } });
    fake.reset();
    fake.answer(driver.operation, { body, headers: { 'content-type': 'application/json' } }, reply);
    expect(await failure(create(client))).toMatchObject({ code: '1305' });
    expect(fake.requests).toHaveLength(1);
  });

  test('a header timeout is an unknown outcome', async () => {
    const clock = stoppedClock();
    fake.answer(driver.operation, faults.silentBeforeHeaders(), reply);
    const error = await clock.run(failure(create(clientFor(fake, { ...once, timeout: 1000 }))), 20);
    expect(error).toMatchObject({ kind: 'timeout' });
    expect(fake.requests).toHaveLength(1);
  });

  test('effort is translated for each model', async () => {
    serving(driver.operation, { [third]: reply });
    const got = await create(clientFor(fake, once), {}, { effort: 'off', model: third });
    fake.reset();
    serving(driver.operation, { [third]: reply });
    const fallen = await create(clientFor(fake, once), { fallback: [third] }, { effort: 'off' });
    expect(responseInfo(fallen)?.effort).toEqual(responseInfo(got)?.effort);
    expect(fake.requests.at(-1)?.body).not.toHaveProperty('effort');
  });

  test('the request is that of the call, whatever its caller changes later', async () => {
    serving(driver.operation, { [second]: reply });
    const request = driver.request('first', { tools: [] }) as { model: string };
    const models: string[] = [second];
    const answer = driver.service(clientFor(fake, once)).create({ fallback: models }, request as never);
    models[0] = third;
    request.model = 'glm-4.6';
    await answer;
    expect(asked()).toEqual([own, second]);
    expect(JSON.stringify(fake.requests[1]?.body)).toContain('first');
  });

  test('a model that cannot take the request is skipped with the reason', async () => {
    serving(driver.operation, { [third]: reply });
    const limit = driver.surface === 'responses' ? 'max_output_tokens' : 'max_tokens';
    const client = clientFor(fake, once);
    const info = responseInfo(await create(client, { fallback: ['glm-4v-flash', third] }, { [limit]: 5000 }));
    expect(info?.fallback?.passed[1]).toEqual({ model: 'glm-4v-flash', why: `skipped: ${limit} is above its 1024`, attempts: 0 });
    expect(asked()).toEqual([own, third]);
    const error = await failure(create(client, { fallback: ['glm-4v-flash'] }, { [limit]: 5000 }));
    expect(error).toMatchObject({ code: '1305' });
    expect(String(error)).toContain(`Other models: glm-4v-flash (skipped: ${limit} is above its 1024).`);
  });

  test('if all fail, the last error names the others, and the one before is its previous', async () => {
    serving(driver.operation, { [third]: faults.error(400, '1211') });
    const error = await failure(create(clientFor(fake, once)));
    expect(isApiError(error) && [error.code, error.attempts]).toEqual(['1211', 1]);
    expect(String(error)).toContain(`Other models: ${own} (refused with code 1305), ${second} (refused with code 1305).`);
    expect((error as { previous?: { code?: string; previous?: object } }).previous).toMatchObject({ code: '1305', previous: { code: '1305' } });
    expect(responseInfo(error)?.fallback?.model).toBe(third);
    expect(asked()).toEqual([own, second, third]);
    expect((await taken(stream(clientFor(fake, once)))).error).toMatchObject({ code: '1211' });
  });

  test('one patience over all: the next model gets what is left, and one attempt at least', async () => {
    const clock = stoppedClock();
    serving(driver.operation, {});
    const starts = performance.now();
    const error = await clock.run(failure(create(clientFor(fake, { retryFor: 60_000, timeout: 0 }))), 500);
    expect(performance.now() - starts).toBeLessThan(120_000);
    expect(error).toMatchObject({ code: '1305', attempts: 1 });
    expect(asked().slice(-3)).toEqual([own, second, third]);
    fake.reset();
    serving(driver.operation, { [own]: faults.error(400, '1211') });
    await clock.run(failure(create(clientFor(fake, { retryFor: 60_000, timeout: 0 }))), 500);
    expect(asked().filter((model) => model === second).length).toBeGreaterThan(3);
    fake.reset();
    serving(driver.operation, {});
    await clock.run(failure(create(clientFor(fake, { maxRetries: 2 }))), 500);
    expect(asked()).toEqual([own, own, own, second, third]);
  });

  test('hooks get each model as an operation of its own, in order', async () => {
    serving(driver.operation, { [third]: reply });
    const seen: unknown[] = [];
    const hook: Hook<unknown, OperationMeta> = {
      onStart: (operation) => {
        seen.push(['start', operation.model, operation.fallback?.passed.map(({ model }) => model)]);
        return operation;
      },
      onEnd: ({ model }, { kind }, state) => void seen.push(['end', model, kind, state.model]),
    };
    const client = clientFor(fake, { ...once, hooks: [hook] });
    const expected = [
      ['start', own, undefined],
      ['end', own, 'error', own],
      ['start', second, [own]],
      ['end', second, 'error', second],
      ['start', third, [own, second]],
      ['end', third, 'ok', third],
    ];
    await create(client);
    expect(seen.splice(0)).toEqual(expected);
    await taken(stream(client));
    expect(seen).toEqual(expected);
  });

  test('an abort between two models ends the call at once', async () => {
    serving(driver.operation, {});
    for (const start of [create, async (...given: [Client, CallContext]) => Promise.reject((await taken(stream(...given))).error)]) {
      fake.reset();
      serving(driver.operation, {});
      const leaving = new AbortController();
      const client = clientFor(fake, { ...once, hooks: [{ onEnd: () => leaving.abort() }] });
      const error = await failure(start(client, { fallback, signal: leaving.signal }));
      expect(isAbortError(error) && error.previous).toMatchObject({ code: '1305' });
      expect(asked()).toEqual([own]);
    }
  });

  test('a stream that is left between two models sends no other request', async () => {
    serving(driver.operation, {});
    const ends: string[] = [];
    let streaming: AsyncIterableIterator<object> | undefined;
    const hook: Hook = {
      onEnd: (_operation, { kind }) => {
        ends.push(kind);
        void streaming?.return?.();
      },
    };
    streaming = stream(clientFor(fake, { ...once, hooks: [hook] }));
    expect(await streaming.next()).toEqual({ done: true, value: undefined });
    await fake.idle();
    expect(asked()).toEqual([own]);
    expect(ends).toEqual(['error', 'cancelled']);
  });

  test('a tool loop keeps the model of its first answer, streamed too', async () => {
    const calls: Reply = { turn: { toolCalls: [{ name: 'clock' }] } };
    const clock = defineTool({ name: 'clock', description: 'The time.', input: { type: 'object', properties: {} }, run: () => 'noon' });
    const client = clientFor(fake, once);
    fake.answer(driver.operation, overload, calls, calls, reply);
    const last = await driver.service(client).runWithTools({ fallback }, driver.request('hi'), [clock] as never);
    expect(asked()).toEqual([own, second, second, second]);
    expect(responseInfo(last)?.fallback?.model).toBe(second);
    fake.reset();
    fake.answer(driver.operation, overload, calls, overload);
    expect((await taken(driver.service(client).streamWithTools({ fallback }, driver.request('hi'), [clock] as never))).error).toMatchObject({
      code: '1305',
    });
    expect(asked()).toEqual([own, second, second]);
    fake.reset();
    fake.answer(driver.operation, calls, overload, reply);
    const error = await failure(driver.service(client).runWithTools({ fallback }, driver.request('hi'), [clock] as never));
    expect([asked(), toolRun(error as object)?.modelCalls]).toEqual([[own, own], 1]);
  });

  test('parse asks the next model too', async () => {
    serving(driver.operation, { [second]: { turn: { text: '{"a":1}' } } });
    const format = responseFormat({ type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] });
    const service = driver.service(clientFor(fake, once)) as unknown as {
      parse(ctx: Context, request: object, format: object): Promise<{ parsed: unknown }>;
    };
    const got = await service.parse({ fallback }, driver.request('hi'), format);
    expect([got.parsed, responseInfo(got)?.fallback?.model]).toEqual([{ a: 1 }, second]);
  });

  test('with concurrency each model has its own gate', async () => {
    serving(driver.operation, { [second]: reply });
    const client = clientFor(fake, { ...once, concurrency: 4 });
    for (const got of await Promise.all(Array.from({ length: 8 }, () => create(client)))) expect(responseInfo(got)?.fallback?.model).toBe(second);
  });

  test('one budget over all: the second model is asked again', async () => {
    serving(driver.operation, { [second]: reply });
    const budget = newBudget({ tokens: 1 });
    const client = clientFor(fake, { ...once, budget });
    expect(responseInfo(await create(client))?.fallback?.model).toBe(second);
    expect(budget.spent.tokens).toBeGreaterThan(1);
    expect(await failure(create(client))).toMatchObject({ kind: 'budget' });
    expect(asked()).toEqual([own, second]);
  });

  test.each<[string, unknown, object, string, RegExp]>([
    ['not a list', 'glm-4.7', {}, 'ctx.fallback', /list of at most 4/],
    ['null', null, {}, 'ctx.fallback', /list of at most 4/],
    ['five', ['glm-5.3', 'glm-5.1', 'glm-5', 'glm-4.7', 'glm-4.6'], {}, 'ctx.fallback', /at most 4/],
    ['the model itself', [second, own], {}, 'ctx.fallback[1]', /is the model of the request/],
    ['repeated', [second, third, second], {}, 'ctx.fallback[2]', /is in the list twice/],
    ['a near name', ['glm-5.3-flsh'], {}, 'ctx.fallback[0]', /in no catalogue; did you mean glm-5.3-flash\?/],
    ['an unknown name', ['another-vendors-model'], {}, 'ctx.fallback[0]', /in no catalogue; add it to Config.models/],
    ['a name of Object', ['constructor'], {}, 'ctx.fallback[0]', /in no catalogue/],
    ['of another kind', ['embedding-3'], {}, 'ctx.fallback[0]', /must be a chat model/],
    ['a number', [3], {}, 'ctx.fallback[0]', /must be a model id/],
    ['empty text', [''], {}, 'ctx.fallback[0]', /must be a model id/],
  ])('bad input, before the first request: %s', async (_name, given, more, path, words) => {
    const ends: string[] = [];
    const client = clientFor(fake, { hooks: [{ onEnd: (_operation, { kind }) => void ends.push(kind) }] });
    const ctx = { fallback: given as string[] };
    for (const error of [await failure(create(client, ctx, more)), (await taken(stream(client, ctx, more))).error]) {
      expect(isValidationError(error) && error.path).toBe(path);
      expect(String(error)).toMatch(words);
    }
    expect(ends).toEqual(['error', 'error']);
    expect(fake.requests).toHaveLength(0);
  });

  test('a model of Config.models is known, and an empty list is none', async () => {
    serving(driver.operation, { 'my-model': reply });
    const client = clientFor(fake, { ...once, models: [{ id: 'my-model' }] });
    expect(responseInfo(await create(client, { fallback: ['my-model'] }))?.fallback?.model).toBe('my-model');
    expect(await failure(create(client, { fallback: [] }))).toMatchObject({ code: '1305' });
  });
});

test('an image is not sent to a model that sees none, and the next one gets it', async () => {
  serving('chat.create', { 'glm-4.6v': reply });
  const request = { model: 'glm-5v-turbo', messages: [{ role: 'user' as const, content: 'hi', images: ['data:image/png;base64,AA=='] }] };
  const got = await newClient(fake.configFor(once))
    .chat()
    .create({ fallback: ['glm-5.3', 'glm-4.6v'] }, request);
  expect(responseInfo(got).fallback?.passed[1]).toEqual({ model: 'glm-5.3', why: 'skipped: it takes no images and videos', attempts: 0 });
  expect(asked()).toEqual(['glm-5v-turbo', 'glm-4.6v']);
});

describe('where it does not apply it is an error, not silence', () => {
  const ctx: Context = { fallback };
  const messages = [{ role: 'user' as const, content: 'hi' }];

  test.each<[string, (client: Client) => Promise<unknown>]>([
    ['files.list', (client) => client.files().list(ctx, { purpose: 'batch' })],
    ['embeddings.create', (client) => client.embeddings().create(ctx, { model: 'embedding-3', input: 'hi' })],
    ['chat.createAsync', (client) => client.chat().createAsync(ctx, { model: own, messages })],
    ['anthropic.countTokens', (client) => client.anthropic().countTokens(ctx, { model: own, messages })],
    ['responses.get', (client) => client.responses().get(ctx, 'r')],
    ['tools.tokenize', (client) => client.tools().tokenize(ctx, { model: own, messages })],
    ['waitForResult', (client) => client.waitForResult(ctx, 'id')],
    ['detection.probeWithBilledChat', (client) => client.detection().probeWithBilledChat(ctx)],
    ['quota.getLimit', (client) => client.quota().getLimit(ctx)],
    ['batch.create', (client) => client.batch().create(ctx, { input_file_id: 'f', endpoint: '/v4/chat/completions' })],
    ['models.list', (client) => client.models().list(ctx)],
    [
      'responses.create with previous_response_id',
      (client) => client.responses().create(ctx, { model: own, input: 'hi', previous_response_id: 'r' }),
    ],
    ['responses.create with background', (client) => client.responses().create(ctx, { model: own, input: 'hi', background: true })],
  ])('%s', async (_name, call) => {
    const error = await failure(call(newClient(fake.configFor())));
    expect(isValidationError(error) && error.path).toBe('ctx.fallback');
    expect(fake.requests).toHaveLength(0);
  });

  test('a single service', async () => {
    const error = await failure(newService(Chat, fake.configFor()).create(ctx, { model: own, messages }));
    expect(isValidationError(error) && error.path).toBe('ctx.fallback');
    expect(String(error)).toContain('by a client');
  });

  test('models.list of a list that is kept', async () => {
    const models = newClient(fake.configFor()).models();
    await models.list(undefined);
    expect(await failure(models.list(ctx))).toSatisfy(isValidationError);
  });
});
