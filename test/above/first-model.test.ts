// Several models for one question: which is asked next, when, and what is never asked twice.

import { describe, expect, test } from 'vitest';
import {
  ApiError,
  type CallContext,
  type Client,
  type Context,
  defineTool,
  type FirstModelOptions,
  firstModel,
  isApiError,
  isModelsvcError,
  newBudget,
  newClient,
  opened,
  outputFormat,
  toolRun,
} from '../../src/overlay/index.ts';
import { type Fault, faults, type Reply, startFakeService } from '../../src/testing/index.ts';
import { onBothWays, type SurfaceDriver, taken, textIn } from '../support/both-ways.ts';
import { stoppedClock, until } from '../support/clock.ts';
import { failure } from '../support/failure.ts';
import { sharedFake } from '../support/fake.ts';
import { ofKind } from '../support/of-kind.ts';

const fake = await sharedFake();
const [own, second, third] = ['glm-5.2', 'glm-5.3', 'glm-4.7'] as const;
const models = [own, second, third];
const reply: Reply = { turn: { text: '{"a":1}' } };
const overload = faults.rateLimit(undefined, '1305');
const limited = faults.rateLimit();
const minute = 60_000;
const once = { maxRetries: 0 };
const tool = defineTool({ name: 'clock', description: 'The time.', input: { type: 'object', properties: {} }, run: () => 'noon' });
const calls: Reply = { turn: { toolCalls: [{ name: 'clock' }] } };
const format = outputFormat({ type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] });

/** Each model has its answer; one without is overloaded. */
function serving(operation: SurfaceDriver['operation'], answers: Readonly<Record<string, Reply | Fault>>): void {
  fake.fallback(operation, (request) => answers[modelOf(request)] ?? overload);
}

function modelOf({ body }: { readonly body?: unknown }): string {
  return (body as { model: string }).model;
}

const asked = (): string[] => fake.requests.map(modelOf);

/** A way to ask, up to the text of the answer. */
type Way = (driver: SurfaceDriver, client: Client, options?: FirstModelOptions, list?: readonly string[]) => Promise<string>;

interface Parsing {
  parse(ctx: CallContext, request: object, format: object): Promise<{ parsed: unknown }>;
}

const ways: Readonly<Record<string, Way>> = {
  create: (driver, client, options, list = models) =>
    firstModel(list, (model, ctx) => driver.service(client).create(ctx, driver.request('hi', { model })), options).then(JSON.stringify),
  parse: async (driver, client, options, list = models) => {
    const service = driver.service(client) as unknown as Parsing;
    const { parsed } = await firstModel(list, (model, ctx) => service.parse(ctx, driver.request('hi', { model }), format), options);
    return JSON.stringify(parsed);
  },
  stream: async (driver, client, options, list = models) => {
    const open = (model: string, ctx: Context) => opened(driver.service(client).stream(ctx, driver.request('hi', { model })));
    return textIn((await taken(await firstModel(list, open, options))).items);
  },
  'a tool loop': (driver, client, options, list = models) =>
    firstModel(list, (model, ctx) => driver.service(client).runWithTools(ctx, driver.request('hi', { model }), [tool] as never), options).then(
      JSON.stringify,
    ),
  'a streamed tool loop': async (driver, client, options, list = models) => {
    const open = (model: string, ctx: Context) =>
      opened(driver.service(client).streamWithTools(ctx, driver.request('hi', { model }), [tool] as never));
    return textIn((await taken(await firstModel(list, open, options))).items);
  },
};

const patient = { for: minute };

onBothWays((driver, clientFor) => {
  describe.each(Object.entries(ways))('%s', (_way, ask) => {
    describe.each<[string, FirstModelOptions]>([
      ['without for', {}],
      ['with for', patient],
    ])('%s', (_name, options) => {
      test.each<[string, Fault]>([
        ['1305', overload],
        ['1312', faults.rateLimit(undefined, '1312')],
        ['status 529', faults.error(529, 'overloaded_error')],
        ['1211', faults.error(400, '1211')],
        ['1311', faults.rateLimit(undefined, '1311')],
        ['1304', faults.rateLimit(undefined, '1304')],
        ['model_not_found', faults.error(404, 'model_not_found')],
        ['usage_not_included', faults.error(429, 'usage_not_included')],
        ['1305 inside a 200', faults.embeddedFailure(undefined, '1305')],
        ['1305 as the first frame', faults.inBandError('1305', 'busy', 0)],
        ['1305 as the first event', faults.eventError('1305', 'busy', 0)],
      ])('a refusal of the model alone asks the next one at once: %s', async (_fault, fault) => {
        fake.answer(driver.operation, fault, reply);
        expect(await ask(driver, clientFor(fake, options.for === undefined ? once : {}), options)).toMatch(/a\W+1/);
        expect(asked()).toEqual([own, second]);
      });

      test.each<[string, Fault | Reply]>([
        ['1308, of the plan', faults.rateLimit(undefined, '1308')],
        ['1113', faults.rateLimit(undefined, '1113')],
        ['1000', faults.error(401, '1000')],
        ['1210', faults.error(400, '1210')],
        ['1301', faults.error(400, '1301')],
        ['a reset before the header', faults.resetBeforeHeaders()],
        ['a header that is cut off', faults.halfHeader()],
      ])('what is not of the model, or may be billed, is thrown: %s', async (_fault, fault) => {
        fake.fallback(driver.operation, fault);
        expect(await failure(ask(driver, clientFor(fake, once), options))).toSatisfy(
          (error) => isApiError(error) || isModelsvcError(error, 'connection', 'timeout'),
        );
        expect(asked()).toEqual([own]);
      });

      test('no call is paid twice: an answer with counts, and an overload after the first item', async () => {
        const client = clientFor(fake, once);
        const body = JSON.stringify({ error: { code: '1305', message: 'busy' }, usage: { total_tokens: 7 } });
        fake.answer(driver.operation, { body, headers: { 'content-type': 'application/json' } }, reply);
        expect(await failure(ask(driver, client, options))).toMatchObject({ code: '1305' });
        expect(asked()).toEqual([own]);
      });
    });

    test('no call is paid twice: the call goes on only if each of its own attempts was refused', async () => {
      const client = clientFor(fake, { maxRetries: 3, retryDelay: 0 });
      fake.answer(driver.operation, faults.resetBeforeHeaders(), ...Array.from({ length: 3 }, () => faults.rateLimit({ ms: 1 }, '1305')), reply);
      expect(await failure(ask(driver, client))).toMatchObject({ code: '1305', attempts: 4 });
      expect(asked()).toEqual([own, own, own, own]);
      fake.reset();
      fake.answer(driver.operation, limited, limited, limited, faults.rateLimit({ ms: 1 }, '1305'), reply);
      await ask(driver, client);
      expect(asked()).toEqual([own, own, own, own, second]);
    });

    test('with for, a limit of the account asks the same model again after its backoff', async () => {
      const clock = stoppedClock();
      fake.answer(driver.operation, limited, faults.error(500, '500'), overload, limited, reply);
      const starts = performance.now();
      await clock.run(ask(driver, clientFor(fake), patient), 10);
      expect(asked()).toEqual([own, own, own, second, second]);
      expect(performance.now() - starts).toBeGreaterThanOrEqual(200 + 400 + 800);
    });

    test('with for, a model that can never answer is left out for good, and the others are asked in rounds', async () => {
      const clock = stoppedClock();
      let refusals = 0;
      fake.fallback(driver.operation, (request) => {
        if (modelOf(request) === second) return faults.error(400, '1211');
        return refusals++ < 5 ? overload : reply;
      });
      await clock.run(ask(driver, clientFor(fake), patient), 100);
      expect(asked()).toEqual([own, second, third, own, third, own, third]);
    });
  });

  test('an overload after the first event of a stream ends it, also before the answer begins', async () => {
    fake.answer(driver.operation, { ...faults.inBandError('1305', 'busy', 1), reply }, reply);
    const open = (model: string, ctx: Context) => opened(driver.service(clientFor(fake, once)).stream(ctx, driver.request('hi', { model })));
    const got = await firstModel(models, open, patient).then(taken, (error: unknown) => ({ error }));
    expect(got.error).toMatchObject({ code: '1305' });
    expect(asked()).toEqual([own]);
  });

  test.each([{}, patient])('a tool loop is not begun again after its first round %o', async (options) => {
    const client = clientFor(fake, once);
    fake.answer(driver.operation, overload, calls, overload, reply);
    const loop = (model: string, ctx: Context) => driver.service(client).runWithTools(ctx, driver.request('hi', { model }), [tool] as never);
    const error = await failure(firstModel(models, loop, options));
    expect([asked(), toolRun(error as object)?.modelCalls]).toEqual([[own, second, second], 1]);
    expect((error as { previous?: object }).previous).toMatchObject({ code: '1305' });
  });
});

const messages = [{ role: 'user' as const, content: 'hi' }];
const client = newClient(fake.configFor());
const chat = (model: string, ctx: Context): Promise<object> => client.chat().create(ctx, { model, messages });

test('twenty calls at once are answered in seconds while their first model is overloaded for two minutes', async () => {
  const clock = stoppedClock();
  const starts = performance.now();
  fake.fallback('chat.create', (request) => (modelOf(request) === own && performance.now() - starts < 2 * minute ? overload : reply));
  await clock.run(Promise.all(Array.from({ length: 20 }, () => firstModel([own, second], chat, patient))), 10);
  expect(performance.now() - starts).toBeLessThan(2000);
  expect([asked().filter((model) => model === own).length, asked().length]).toEqual([20, 40]);
});

describe('the time of for', () => {
  test('a round of overloads is followed by a backoff that doubles, and the last round is at the end of the time', async () => {
    const clock = stoppedClock();
    serving('chat.create', {});
    const starts = performance.now();
    const rounds: number[] = [];
    const error = await clock.run(
      failure(
        firstModel(
          models,
          (model, ctx) => {
            if (model === own) rounds.push(performance.now() - starts);
            return chat(model, ctx);
          },
          { for: 20_000 },
        ),
      ),
      10,
    );
    expect(error).toMatchObject({ code: '1305', attempts: 1 });
    const waits = rounds.slice(1).map((time, index) => time - (rounds[index] as number));
    for (const [index, wait] of waits.slice(0, -1).entries()) expect(wait).toBeGreaterThanOrEqual(0.99 * (waits[0] as number) * 1.6 ** index);
    expect(rounds.at(-1)).toBeGreaterThanOrEqual(20_000);
    expect(rounds.at(-1)).toBeLessThan(20_500);
    expect(asked().slice(-3)).toEqual(models);
  });

  test.each([
    [
      'the newest Retry-After of the round is waited for',
      [faults.rateLimit({ seconds: 9 }, '1305'), faults.rateLimit({ seconds: 5 }, '1305'), overload],
      5000,
      6500,
    ],
    ['at most for what is left', [faults.rateLimit({ seconds: 90 }, '1305'), overload, overload], 60_000, 60_500],
    ['not that of the round before', [faults.rateLimit({ seconds: 20 }, '1305'), ...Array<Fault>(5).fill(overload)], 21_600, 27_500],
  ])('%s', async (_name, refusals, least, most) => {
    const clock = stoppedClock();
    fake.answer('chat.create', ...refusals, reply);
    const starts = performance.now();
    await clock.run(firstModel(models, chat, patient), 10);
    expect(performance.now() - starts).toBeGreaterThanOrEqual(least);
    expect(performance.now() - starts).toBeLessThan(most);
    expect(asked()).toEqual([...refusals, reply].map((_, at) => models[at % models.length]));
  });

  test('a limit that lasts longer than the time ends it at once', async () => {
    fake.answer('chat.create', faults.rateLimit({ seconds: 90 }), reply);
    expect(await failure(firstModel(models, chat, patient))).toMatchObject({ code: '1302', retryAfter: 90_000 });
    expect(asked()).toEqual([own]);
  });

  test('0 asks each model once, without a wait', async () => {
    serving('chat.create', {});
    expect(await failure(firstModel(models, chat, { for: 0 }))).toMatchObject({ code: '1305', attempts: 1 });
    expect(asked()).toEqual(models);
  });

  test('it begins with the first refusal, so a slow one still asks the next model', async () => {
    const clock = stoppedClock();
    let answer: ((fault: Fault) => void) | undefined;
    fake.answer('chat.create', () => new Promise<Fault>((resolve) => (answer = resolve)), reply);
    const slow = newClient(fake.configFor({ timeout: 0 }));
    const work = firstModel(models, (model, ctx) => slow.chat().create(ctx, { model, messages }), { for: 1000 });
    await until(() => answer !== undefined);
    clock.pass(5000);
    answer?.(overload);
    await clock.run(work);
    expect(asked()).toEqual([own, second]);
  });

  test('a connection that no program accepts is tried again, as with retryFor', async () => {
    const gone = await startFakeService();
    await gone.close();
    const clock = stoppedClock();
    const nobody = newClient({ apiKey: 'any', endpoints: gone.url });
    const starts = performance.now();
    const list = (_model: string, ctx: Context) => nobody.models().list(ctx);
    expect(await clock.run(failure(firstModel(models, list, { for: 5000 })), 50)).toMatchObject({ code: 'ECONNREFUSED', attempts: 1 });
    expect(performance.now() - starts).toBeGreaterThanOrEqual(5000);
  });

  test('an abort ends the backoff at once, with the abort error of a call and the failure before', async () => {
    stoppedClock();
    serving('chat.create', {});
    const leaving = new AbortController();
    const work = failure(firstModel(models, chat, { ctx: leaving.signal, for: minute }));
    await until(() => asked().length === 3);
    await fake.idle();
    leaving.abort('left');
    const error = await work;
    expect(isModelsvcError(error, 'abort') && [error.cause, error.message]).toEqual(['left', expect.stringContaining('aborted by the caller')]);
    expect((error as { previous?: object }).previous).toMatchObject({ code: '1305' });
    expect(asked()).toEqual(models);
  });

  test('an abort between two models asks no other, also if the function leaves the context out', async () => {
    serving('chat.create', {});
    const leaving = new AbortController();
    const deaf = newClient(fake.configFor({ ...once, hooks: [{ onEnd: () => leaving.abort() }] }));
    const ask = (model: string) => deaf.chat().create(undefined, { model, messages });
    expect(await failure(firstModel(models, ask, { ctx: { signal: leaving.signal } }))).toSatisfy(ofKind('abort'));
    expect(asked()).toEqual([own]);
    expect(await failure(firstModel(models, ask, { ctx: leaving.signal }))).toSatisfy(ofKind('abort'));
    expect(asked()).toEqual([own]);
  });
});

describe('the context', () => {
  const given = async (options: FirstModelOptions): Promise<Context> => firstModel([own], async (_model, ctx) => ctx, options);
  const { signal } = new AbortController();

  test.each<[string, FirstModelOptions, Context]>([
    ['none', {}, {}],
    ['a signal', { ctx: signal }, { signal }],
    ['a Context', { ctx: { priority: 1, maxRetries: 2, retryFor: 5 } }, { priority: 1, maxRetries: 2, retryFor: 5 }],
    [
      'with for',
      { ctx: { priority: 1, maxRetries: 2, retryFor: 5 }, for: 0 },
      { priority: 1, queueTimeout: 1000, maxRetries: 0, retryFor: undefined },
    ],
    ['with a queueTimeout of its own', { ctx: { queueTimeout: 7 }, for: minute }, { queueTimeout: 7, maxRetries: 0, retryFor: undefined }],
    ['a signal with for', { ctx: signal, for: minute }, { signal, queueTimeout: minute, maxRetries: 0, retryFor: undefined }],
  ])('of the caller reaches the function: %s', async (_name, options, expected) => {
    expect(await given(options)).toEqual(expected);
  });

  test('with for, retryFor of client and context does not make a call wait', async () => {
    const waiting = newClient(fake.configFor({ retryFor: 5 * minute }));
    fake.answer('chat.create', overload, reply);
    await firstModel(models, (model, ctx) => waiting.chat().create(ctx, { model, messages }), { ctx: { retryFor: minute }, for: minute });
    expect(asked()).toEqual([own, second]);
  });
});

describe('the error', () => {
  test('has the last failure of each model as its chain of previous, the newest first', async () => {
    serving('chat.create', { [second]: faults.error(400, '1211'), [third]: faults.error(400, '1210') });
    const error = await failure(firstModel(models, chat, patient));
    expect(codesOf(error)).toEqual(['1210', '1211', '1305']);
  });

  test('has them in the order of time after several rounds too', async () => {
    const clock = stoppedClock();
    serving('chat.create', { [second]: faults.rateLimit(undefined, '1312'), [third]: faults.error(529, 'overloaded_error') });
    const error = await clock.run(failure(firstModel(models, chat, { for: 5000 })), 100);
    expect(codesOf(error)).toEqual(['overloaded_error', '1312', '1305', 'overloaded_error']);
  });

  test('of a function that throws the same objects again ends, and their chain has no circle', async () => {
    const busy = (): ApiError => new ApiError({ ...refusal, code: '1305' });
    const same = [busy(), busy()];
    const clock = stoppedClock();
    let turn = 0;
    const error = await clock.run(failure(firstModel([own, second], () => Promise.reject(same[turn++ % 2]), patient)), 500);
    expect(codesOf(error)).toHaveLength(2);
  });

  test('of the function itself is thrown as it is', async () => {
    const mine = new TypeError('mine');
    expect(await failure(firstModel(models, () => Promise.reject(mine)))).toBe(mine);
    const thrown = (): Promise<never> => {
      throw mine;
    };
    expect(await failure(firstModel(models, thrown, patient))).toBe(mine);
  });
});

const refusal = {
  operation: 'mine',
  surface: 'chat' as const,
  status: 429,
  code: '1302',
  category: 'rate' as const,
  serviceMessage: '',
  advice: '',
  retryable: true,
  requestId: undefined,
  retryAfter: undefined,
};

function codesOf(error: unknown): unknown[] {
  const codes: unknown[] = [];
  for (let one = error as { code?: string; previous?: unknown } | undefined; one && codes.length < 99; one = one.previous as typeof one)
    codes.push(one.code);
  return codes;
}

test('each model is a call of its own: with concurrency it has its own gate, and a budget counts them all', async () => {
  serving('chat.create', { [second]: reply });
  const budget = newBudget({ tokens: 1 });
  const gated = newClient(fake.configFor({ concurrency: 4, budget }));
  const ask = (model: string, ctx: Context) => gated.chat().create(ctx, { model, messages });
  await firstModel(models, ask, patient);
  expect(await failure(firstModel(models, ask, patient))).toMatchObject({ kind: 'budget' });
  expect(asked()).toEqual([own, second]);
});

describe('bad input is a ValidationError before the first request', () => {
  const ask = chat as never;
  test.each<[string, () => Promise<unknown>, string, RegExp]>([
    ['no list', () => firstModel('glm-5.3' as never, ask), 'models', /list of 1 to 8/],
    ['an empty list', () => firstModel([], ask), 'models', /list of 1 to 8/],
    ['nine models', () => firstModel([...'abcdefghi'], ask), 'models', /list of 1 to 8/],
    ['a double', () => firstModel([own, second, own], ask), 'models[2]', /in the list twice/],
    ['a blank', () => firstModel([own, '  '], ask), 'models[1]', /must be a model id/],
    ['empty text', () => firstModel([''], ask), 'models[0]', /must be a model id/],
    ['a number', () => firstModel([3] as never, ask), 'models[0]', /must be a model id/],
    ['a hole', () => firstModel(Array(2) as never, ask), 'models[0]', /must be a model id/],
    ['no function', () => firstModel(models, undefined as never), 'the second argument', /must be a function/],
    ['a negative time', () => firstModel(models, ask, { for: -1 }), 'options.for', /duration/],
    ['a text as time', () => firstModel(models, ask, { for: '60s' as never }), 'options.for', /duration/],
    ['no number', () => firstModel(models, ask, { for: Number.NaN }), 'options.for', /duration/],
    ['an unknown option', () => firstModel(models, ask, { fro: 1 } as never), 'options.fro', /did you mean for/],
    ['null options', () => firstModel(models, ask, null as never), 'options', /object of options/],
    ['a context that is not one', () => firstModel(models, ask, { ctx: 'x' as never }), 'ctx', /must be a Context/],
    [
      'a stream that is not opened',
      () => firstModel(models, ((model: string) => client.chat().stream(undefined, { model, messages })) as never),
      'the function',
      /opened\(stream\)/,
    ],
  ])('%s', async (_name, call, path, words) => {
    const error = await failure(call());
    expect(isModelsvcError(error, 'validation') && [error.path, error.operation]).toEqual([path, 'firstModel']);
    expect(String(error)).toMatch(words);
    expect(fake.requests).toHaveLength(0);
  });
});

test.each<[string, (ctx: Context) => unknown]>([
  ['a call', (ctx) => client.chat().create(ctx, { model: own, messages })],
  ['firstModel', (ctx) => firstModel(models, chat, { ctx })],
])('a context with the old fallback is refused before the first request, and the error names firstModel: %s', async (_name, call) => {
  // @ts-expect-error
  const error = await failure(Promise.resolve().then(() => call({ fallback: [second] })));
  expect(isModelsvcError(error, 'validation') && error.path).toBe('ctx.fallback');
  expect(String(error)).toContain('ask several models with firstModel');
  expect(fake.requests).toHaveLength(0);
});
