import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, expect, test } from 'vitest';
import { defineTool, type Hook, newClient, type OperationMeta, type OperationOutcome } from '../../src/overlay/index.ts';
import { fakeKey, faults } from '../../src/testing/index.ts';
import { onBothWays, taken } from '../support/both-ways.ts';
import { childOutcome } from '../support/child.ts';
import { until } from '../support/clock.ts';
import { openFake, sharedFake } from '../support/fake.ts';
import { ofKind } from '../support/of-kind.ts';

const fake = await sharedFake();
const hello = { model: 'glm-5.2', messages: [{ role: 'user' as const, content: 'hi' }] };

interface Ended {
  readonly meta: OperationMeta;
  readonly outcome: OperationOutcome;
  readonly state: unknown;
}

/** Writes down the operations that start and end, and checks that each ends once. */
function recorder(): { hook: Hook; started: OperationMeta[]; ended: Ended[]; order: string[] } {
  const [started, ended, order]: [OperationMeta[], Ended[], string[]] = [[], [], []];
  const hook: Hook = {
    onStart: (meta) => {
      started.push(meta);
      order.push(`start ${meta.operation}`);
      return `state of ${meta.id}`;
    },
    onRequest: () => void order.push('request'),
    onResponse: () => void order.push('response'),
    onError: () => void order.push('error'),
    onRetry: (_meta, _error, _delay, why) => void order.push(why),
    onEnd: (meta, outcome, state) => {
      order.push(`end ${meta.operation} ${outcome.kind}`);
      ended.push({ meta, outcome, state });
    },
  };
  return { hook, started, ended, order };
}

/** The kinds of the outcomes, and a check that every start has one end with its state. */
function endsOf({ started, ended }: ReturnType<typeof recorder>): string[] {
  expect(ended.map(({ meta }) => meta.id).sort()).toEqual(started.map(({ id }) => id).sort());
  expect(new Set(ended.map(({ meta }) => meta.id)).size).toBe(ended.length);
  for (const { meta, state } of ended) expect(state).toBe(`state of ${meta.id}`);
  return ended.map(({ outcome }) => outcome.kind);
}

onBothWays((driver, clientFor) => {
  test('one start, the attempts, the reasons, one end with the facts of the reply', async () => {
    const seen = recorder();
    fake.answer(driver.operation, ...faults.serverErrors(2), { turn: { text: 'ok', usage: { input: 3, output: 4 } } });
    await driver.create(clientFor(fake, { hooks: [seen.hook], retryDelay: 0, wholeReplies: true }));
    expect(endsOf(seen)).toEqual(['ok']);
    expect(seen.order.slice(1, -1).join(' ')).toBe('request error retried request error retried request response');
    const { outcome, meta } = seen.ended[0] as Ended;
    expect(meta).toMatchObject({
      kind: 'call',
      operation: driver.operation,
      route: driver.operation,
      stream: false,
      model: 'glm-5.2',
      parent: undefined,
    });
    expect(meta.origin).toBe(new URL(fake.url).origin);
    expect(outcome).toMatchObject({ attempts: 3, status: 200, error: undefined, firstChunkMs: undefined, model: expect.any(String) });
    expect(outcome.finishReasons).toEqual([driver.stop]);
    expect([outcome.responseId, outcome.requestId]).toEqual([expect.stringMatching(/./), expect.stringMatching(/./)]);
    expect(JSON.stringify(outcome.result())).toContain('ok');
    expect(JSON.stringify(outcome.usage)).toMatch(/3.*4/);
  });

  test('an attempt has the time of its response header, and content can be cleaned for a log', async () => {
    const times: number[] = [];
    let cleaned = '';
    const hook: Hook = {
      onStart: (_meta, content) => void (cleaned = content.clean(`a\u001b[31m\nb ${fakeKey} c`, 9)),
      onResponse: ({ headerMs, durationMs }) => void times.push(0, headerMs, durationMs),
    };
    await taken(driver.stream(clientFor(fake, { hooks: [hook] })));
    expect(times).toEqual([...times].sort((a, b) => a - b));
    expect(times[1]).toBeGreaterThan(0);
    expect(cleaned).toBe('a b [key…');
  });

  test('a key that the service echoes in its id, model or finish reason does not reach a hook', async () => {
    const seen = recorder();
    const [id, model, reason] = [`id ${fakeKey}`, fakeKey, `${fakeKey}\nend`];
    const response = { object: 'response', status: 'incomplete', incomplete_details: { reason }, output: [{}] };
    const choices = [{ finish_reason: reason, message: { role: 'assistant', content: 'a' } }];
    fake.answer(driver.operation, {
      body: { id, model, content: [{}], stop_reason: reason, choices, ...(driver.surface === 'responses' && response) },
    });
    await driver.create(clientFor(fake, { hooks: [seen.hook] }));
    const { responseId, model: told, finishReasons } = (seen.ended[0] as Ended).outcome;
    expect([responseId, told, finishReasons]).toEqual(['id [key]', '[key]', ['[key] end']]);
  });

  test('a whole stream ends ok, with finish reason, usage and the time of its first chunk', async () => {
    const seen = recorder();
    fake.answer(driver.operation, { turn: { text: ['a', 'b'], usage: { input: 3, output: 4 } } });
    const stream = driver.stream(clientFor(fake, { hooks: [seen.hook] }));
    expect(seen.order).toEqual([expect.stringMatching(/^start .*\.stream$/)]);
    await taken(stream);
    expect(endsOf(seen)).toEqual(['ok']);
    const { outcome, meta } = seen.ended[0] as Ended;
    expect(meta).toMatchObject({ stream: true });
    expect(outcome).toMatchObject({ status: 200, attempts: 1, usage: expect.anything(), firstChunkMs: expect.any(Number) });
    expect(outcome.finishReasons).toEqual([driver.stop]);
  });

  test('onChunk is called for each item, with a time that grows and a copy of the item at each request', async () => {
    const times: number[] = [];
    const copies: unknown[] = [];
    const hook: Hook<number> = {
      onRequest: ({ attempt }) => attempt,
      onChunk: (meta, { elapsedMs, content }, state) => {
        expect(state).toBe(meta.attempt);
        expect(content()).not.toBe(content());
        copies.push(content());
        times.push(elapsedMs);
        throw new Error('broken');
      },
    };
    fake.answer(driver.operation, ...faults.serverErrors(1), { turn: { text: ['a', 'b'] } });
    const { items, error } = await taken(driver.stream(clientFor(fake, { hooks: [hook], retryDelay: 0 })));
    expect([error, copies]).toEqual([undefined, items]);
    expect(times).toEqual([...times].sort((a, b) => a - b));
  });

  test('an invalid request starts and ends without an attempt', async () => {
    const seen = recorder();
    const client = clientFor(fake, { hooks: [seen.hook] });
    await expect(client.chat().create(undefined, { ...hello, model: 7 as never })).rejects.toMatchObject({ kind: 'validation' });
    const { error } = await taken(client.anthropic().stream(undefined, { max_tokens: 1 } as never));
    expect(error).toMatchObject({ kind: 'validation' });
    expect(endsOf(seen)).toEqual(['error', 'error']);
    expect(seen.ended.map(({ outcome }) => outcome.attempts)).toEqual([0, 0]);
  });

  test('an abort before, during the wait between attempts, and while a stream is read is a cancellation', async () => {
    const seen = recorder();
    const client = clientFor(fake, { hooks: [seen.hook], retryDelay: 60_000 });
    await expect(driver.create(client, AbortSignal.abort())).rejects.toSatisfy(ofKind('abort'));
    const controller = new AbortController();
    fake.answer(driver.operation, ...faults.serverErrors(1));
    const waiting = driver.create(client, controller.signal);
    await until(() => seen.order.includes('retried'));
    controller.abort();
    await expect(waiting).rejects.toSatisfy(ofKind('abort'));
    const reading = new AbortController();
    fake.answer(driver.operation, { turn: { text: ['a', 'b', 'c'] } });
    const stream = driver.stream(client, reading.signal);
    await stream.next();
    reading.abort();
    await expect(stream.next()).rejects.toSatisfy(ofKind('abort'));
    expect(endsOf(seen)).toEqual(['cancelled', 'cancelled', 'cancelled']);
    expect(seen.ended.map(({ outcome }) => outcome.attempts)).toEqual([0, 1, 1]);
  });

  test('a stream that is left, before or after its request, is a cancellation without an error', async () => {
    const seen = recorder();
    const client = clientFor(fake, { hooks: [seen.hook] });
    await driver.stream(client).return?.();
    fake.answer(driver.operation, { turn: { text: ['a', 'b'] } });
    for await (const _item of driver.stream(client)) break;
    expect(endsOf(seen)).toEqual(['cancelled', 'cancelled']);
    expect(seen.ended.map(({ outcome }) => [outcome.error, outcome.attempts])).toEqual([
      [undefined, 0],
      [undefined, 1],
    ]);
  });

  test('hooks can change neither errors nor chunks nor results', async () => {
    const vandal: Hook = {
      onStart: (_meta, content) => void Object.assign(content.request() as object, { model: 'forged' }),
      onError: (_meta, error) => void Object.assign(error, { message: 'forged', status: 200 }),
      onChunk: (_meta, { content }) => {
        const chunk = content() as Record<string, unknown>;
        for (const name of Object.keys(chunk)) delete chunk[name];
      },
      onEnd: (_meta, outcome) => void Object.assign(outcome.result() as object, { choices: 'forged', content: 'forged' }),
    };
    const client = clientFor(fake, { hooks: [vandal], maxRetries: 0 });
    fake.answer(driver.operation, { turn: { text: 'ok' } }, { turn: { text: 'ok' } }, ...faults.serverErrors(1));
    const plain = clientFor(fake);
    expect(JSON.stringify(await driver.create(client))).toContain('ok');
    const { items } = await taken(driver.stream(client));
    expect(JSON.stringify(items)).toContain('ok');
    await expect(driver.create(client)).rejects.toMatchObject({ status: 500, message: expect.not.stringContaining('forged') });
    expect(JSON.stringify(fake.requests.map(({ body }) => body))).not.toContain('forged');
    await driver.create(plain);
  });
});

test('a stream that is dropped, unread or in the middle, ends its operation', async () => {
  const { fake: own } = await openFake();
  own.fallback('*', faults.silentAfterHeaders(3));
  const { stdout } = await childOutcome(
    `const ends = [];
    const hook = { onEnd: ({ stream }, { kind, error, attempts }) => ends.push([stream, kind, error, attempts].join(' ')) };
    const client = newClient({ ...${JSON.stringify(own.configFor())}, hooks: [hook] });
    const request = ${JSON.stringify(hello)};
    await (async () => {
      client.chat().stream(undefined, request);
      await client.chat().stream(undefined, request).next();
    })();
    while (ends.length < 2) { gc(); await new Promise((resolve) => setTimeout(resolve, 5)); }
    console.log(ends.sort().join(', '));`,
    ['--expose-gc'],
  );
  expect(stdout.trim()).toBe('true cancelled  0, true cancelled  1');
});

test.each<[string, Hook]>([
  ['throws when it is read', new Proxy({}, { get: () => throws() })],
  [
    'has getters that throw',
    {
      get onChunk() {
        return throws();
      },
      get around() {
        return throws();
      },
    } as Hook,
  ],
])('a hook that %s changes no call', async (_name, hook) => {
  const seen = recorder();
  const client = newClient(fake.configFor({ hooks: [hook, seen.hook] }));
  await client.chat().create(undefined, hello);
  await taken(client.chat().stream(undefined, hello));
  expect(endsOf(seen)).toEqual(['ok', 'ok']);
});

test('a call of a closed client, or with a wrong signal, ends', async () => {
  const seen = recorder();
  const client = newClient(fake.configFor({ hooks: [seen.hook] }));
  await client.close();
  await expect(client.chat().create(undefined, hello)).rejects.toSatisfy(ofKind('config'));
  await expect(client.bindings('chat').GET('/models')).rejects.toSatisfy(ofKind('config'));
  await expect(client.chat().create({ signal: { aborted: false, addEventListener: 1 } as never }, hello)).rejects.toThrow();
  expect(endsOf(seen)).toEqual(['error', 'error', 'error']);
});

test('a bindings call whose body or header cannot be sent starts and ends', async () => {
  const seen = recorder();
  const bindings = newClient(fake.configFor({ hooks: [seen.hook] })).bindings('chat');
  const endless = (): never => new ReadableStream({ pull: () => new Promise(() => {}) }) as never;
  const broken = (): never => new ReadableStream({ pull: (controller) => controller.error(new Error('disk')) }) as never;
  const post = (bodySerializer: () => never, signal?: AbortSignal): Promise<unknown> =>
    bindings.POST('/chat/completions', { body: hello, bodySerializer, ...(signal && { signal }) });
  await expect(post(broken)).rejects.toThrow('disk');
  await expect(bindings.GET('/models', { headers: { 'x-name': 'caf\u00e9' } })).rejects.toSatisfy(ofKind('validation'));
  const controller = new AbortController();
  const reading = post(endless, controller.signal);
  setImmediate(() => controller.abort());
  await expect(reading).rejects.toSatisfy(ofKind('abort'));
  expect(endsOf(seen)).toEqual(['error', 'error', 'cancelled']);
  expect(fake.requests).toHaveLength(0);
});

test('a bindings reply without a body ends its operation, although no body is read', async () => {
  const seen = recorder();
  const bindings = newClient(fake.configFor({ hooks: [seen.hook] })).bindings('chat');
  fake.answer('models.list', { body: '', headers: { 'content-length': '0', 'content-type': 'application/json' } });
  await bindings.GET('/models');
  expect(endsOf(seen)).toEqual(['ok']);
});

test.each(['left', 'aborted'])('a stream that is %s while it waits for its reply: the end comes after the attempt', async (how) => {
  const seen = recorder();
  fake.answer('chat.create', faults.silentBeforeHeaders());
  const controller = new AbortController();
  const stream = newClient(fake.configFor({ hooks: [seen.hook] }))
    .chat()
    .stream(controller.signal, hello);
  const reading = stream.next().catch(() => undefined);
  await until(() => fake.requests.length === 1);
  controller.signal.onabort = () => void stream.next().catch(() => undefined);
  if (how === 'left') await stream.return();
  else controller.abort();
  await reading;
  await until(() => seen.order.length === 5);
  expect(seen.order).toEqual(['start chat.stream', 'request', 'error', 'final', 'end chat.stream cancelled']);
  expect(seen.ended[0]?.outcome.error === undefined).toBe(how === 'left');
});

test('the states of the hooks are released at the end, even if the caller keeps the stream', async () => {
  const { stdout } = await childOutcome(
    `const states = [];
    const state = () => { const made = { big: true }; states.push(new WeakRef(made)); return made; };
    const client = newClient({ ...${JSON.stringify(fake.configFor())}, hooks: [{ onStart: state, onRequest: state }] });
    const stream = client.chat().stream(undefined, ${JSON.stringify(hello)});
    for await (const _ of stream);
    // A state that was looked at cannot be collected before the next turn.
    do { await new Promise((resolve) => setTimeout(resolve, 5)); gc(); } while (states.some((one) => one.deref()));
    console.log(states.length, stream !== undefined);`,
    ['--expose-gc'],
  );
  expect(stdout.trim()).toBe('2 true');
});

function throws(): never {
  throw new Error('broken hook');
}

describe('around', () => {
  const storage = new AsyncLocalStorage<string>();

  test('wraps the sending of each attempt, so that a context reaches the transport', async () => {
    const inside: (string | undefined)[] = [];
    const hook: Hook<unknown, string> = { onStart: ({ operation }) => operation, around: (state, run) => storage.run(state, run) };
    const httpClient: typeof fetch = (url, init) => {
      inside.push(storage.getStore());
      return fetch(url, init);
    };
    fake.answer('chat.create', ...faults.serverErrors(1), { turn: { text: 'ok' } });
    await newClient(fake.configFor({ hooks: [hook], httpClient: httpClient as never, retryDelay: 0 }))
      .chat()
      .create(undefined, hello);
    expect(inside).toEqual(['chat.create', 'chat.create']);
    expect(storage.getStore()).toBeUndefined();
  });

  test.each<[string, NonNullable<Hook['around']>]>([
    ['never calls run', () => {}],
    ['calls run twice', (_state, run) => [run(), run()]],
    [
      'throws before run',
      () => {
        throw new Error('broken');
      },
    ],
    [
      'throws after run',
      (_state, run) => {
        run();
        throw new Error('broken');
      },
    ],
    ['calls run later', (_state, run) => void setImmediate(run)],
  ])('a hook that %s sends each attempt once', async (_name, around) => {
    const client = newClient(fake.configFor({ hooks: [{ around }, { around: (_state, run) => run() }] }));
    await client.chat().create(undefined, hello);
    expect(fake.requests).toHaveLength(1);
  });

  test('a tool that calls `run` of its own hook runs once', async () => {
    let again = (): void => {};
    let runs = 0;
    const hook: Hook = {
      around(_state, run) {
        again = run;
        run();
      },
    };
    const run = (): string => {
      if (++runs < 3) again();
      return 'done';
    };
    fake.answer('chat.create', { turn: { toolCalls: [{ name: 'weather', arguments: '{}' }] } });
    await newClient(fake.configFor({ hooks: [hook] }))
      .chat()
      .runWithTools(undefined, hello, [defineTool({ ...weatherless, run })]);
    expect(runs).toBe(1);
  });
});

describe('operations of several calls', () => {
  const weather = defineTool({
    name: 'weather',
    description: 'Weather of a city',
    input: { type: 'object', properties: { city: { type: 'string' } } },
    run: ({ city }: { city?: string }) => {
      if (city === 'Atlantis') throw new Error('no such city');
      return `sunny in ${city}`;
    },
  });

  test('a tool loop: its calls and its tools are its children', async () => {
    const seen = recorder();
    const call = (city: string) => ({ name: 'weather', arguments: JSON.stringify({ city }) });
    fake.answer('chat.create', { turn: { toolCalls: [call('Rome'), call('Atlantis')] } }, { turn: { text: 'done' } });
    await newClient(fake.configFor({ hooks: [seen.hook] }))
      .chat()
      .runWithTools(undefined, hello, [weather] as never);
    const run = seen.started[0] as OperationMeta;
    expect(run).toMatchObject({ kind: 'tools.run', operation: 'chat.runWithTools', parent: undefined, endpoint: '' });
    expect(seen.started.slice(1).map(({ kind, operation, parent }) => [kind, operation, parent?.id === run.id])).toEqual([
      ['call', 'chat.runWithTools', true],
      ['tool.call', 'weather', true],
      ['tool.call', 'weather', true],
      ['call', 'chat.runWithTools', true],
    ]);
    expect(endsOf(seen)).toEqual(['ok', 'ok', 'error', 'ok', 'ok']);
    expect(seen.ended[1]?.outcome.result()).toBe('sunny in Rome');
    expect(seen.ended[2]?.outcome.error).toMatchObject({ message: 'no such city' });
  });

  test('a streamed tool loop starts where it is made, and ends once when it is complete or left', async () => {
    const seen = recorder();
    const client = newClient(fake.configFor({ hooks: [seen.hook] }));
    fake.answer('anthropic.create', { turn: { toolCalls: [{ name: 'weather', arguments: '{"city":"Rome"}' }] } }, { turn: { text: 'done' } });
    const stream = client.anthropic().streamWithTools(undefined, { ...hello, max_tokens: 9 }, [weather] as never);
    expect(seen.started.map(({ kind, stream }) => [kind, stream])).toEqual([['tools.run', true]]);
    await taken(stream);
    await client
      .anthropic()
      .streamWithTools(undefined, { ...hello, max_tokens: 9 }, [weather] as never)
      .return();
    expect(endsOf(seen)).toEqual(['ok', 'ok', 'ok', 'ok', 'cancelled']);
  });

  test('a tool that hangs is canceled with its run', async () => {
    const seen = recorder();
    const controller = new AbortController();
    fake.answer('chat.create', { turn: { toolCalls: [{ name: 'weather', arguments: '{}' }] } });
    const hanging = defineTool({ ...weatherless, run: () => new Promise<string>(() => {}) });
    const run = newClient(fake.configFor({ hooks: [seen.hook] }))
      .chat()
      .runWithTools({ signal: controller.signal }, hello, [hanging]);
    await until(() => seen.started.some(({ kind }) => kind === 'tool.call'));
    controller.abort();
    await expect(run).rejects.toSatisfy(ofKind('abort'));
    await until(() => seen.ended.length === 3);
    expect(endsOf(seen).sort()).toEqual(['cancelled', 'cancelled', 'ok']);
  });

  test('a tool that throws a value that cannot be read fails like without hooks', async () => {
    const seen = recorder();
    fake.answer('chat.create', { turn: { toolCalls: [{ name: 'weather', arguments: '{}' }] } });
    const unreadable = new Proxy({}, { get: () => throws() });
    const tool = defineTool({
      ...weatherless,
      run(): string {
        throw unreadable;
      },
    });
    await newClient(fake.configFor({ hooks: [seen.hook] }))
      .chat()
      .runWithTools(undefined, hello, [tool]);
    expect(endsOf(seen)).toEqual(['ok', 'error', 'ok', 'ok']);
  });

  test('waiting for a job: each poll is a child', async () => {
    const seen = recorder();
    fake.answer('client.getAsyncResult', { body: { task_status: 'PROCESSING' } }, { body: { task_status: 'SUCCESS', choices: [{}] } });
    await newClient(fake.configFor({ hooks: [seen.hook] })).waitForResult(undefined, 'task-1', { interval: 100 });
    expect(seen.started.map(({ kind, route, parent }) => [kind, route, parent?.kind])).toEqual([
      ['wait', '', undefined],
      ['call', 'client.getAsyncResult', 'wait'],
      ['call', 'client.getAsyncResult', 'wait'],
    ]);
    expect(endsOf(seen)).toEqual(['ok', 'ok', 'ok']);
  });

  test('raw bindings, uploads and bytes are operations too', async () => {
    const seen = recorder();
    const client = newClient(fake.configFor({ hooks: [seen.hook] }));
    await client.bindings('chat').GET('/models');
    const { id } = await client.files().upload(undefined, { file: new Uint8Array([1]), purpose: 'batch' });
    (await client.files().content(undefined, id)).cancel();
    expect(seen.started.map(({ operation, route, endpoint }) => [operation, route, endpoint])).toEqual([
      ['GET /models', 'models.list', '/models'],
      ['files.upload', 'files.upload', '/files'],
      ['files.content', 'files.content', '/files/{file_id}/content'],
    ]);
    expect(endsOf(seen)).toEqual(['ok', 'ok', 'cancelled']);
  });
});

const weatherless = { name: 'weather', description: 'Weather', input: { type: 'object', properties: {} } } as const;
