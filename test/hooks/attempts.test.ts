import { expect, test } from 'vitest';
import { type Hook, type ModelsvcError, newClient, type RequestMeta, withModel, withService } from '../../src/overlay/index.ts';
import { faults } from '../../src/testing/index.ts';
import type { ResponseMeta } from '../../src/types/index.ts';
import { onBothWays, taken } from '../support/both-ways.ts';
import { sharedFake } from '../support/fake.ts';
import { strictRejections } from '../support/strict-rejections.ts';

const fake = await sharedFake();

interface Fired {
  readonly name: string;
  readonly meta: RequestMeta;
  readonly state?: unknown;
  readonly error?: ModelsvcError;
}

/** A hook that writes down what fires; its state is the number of the attempt's first firing. */
function recorder(): { hook: Hook<number>; fired: Fired[] } {
  const fired: Fired[] = [];
  const hook: Hook<number> = {
    onRequest: (meta) => fired.push({ name: 'request', meta }),
    onResponse: (meta, state) => fired.push({ name: 'response', meta, state }),
    onError: (meta, error, state) => fired.push({ name: 'error', meta, error, state }),
    onChunk: (meta, _chunk, state) => fired.push({ name: 'chunk', meta, state }),
  };
  return { hook, fired };
}

function names(fired: readonly Fired[]): string {
  return fired.map((one) => one.name).join(' ');
}

onBothWays((driver, clientFor) => {
  const service = driver.operation.replace('.create', '');
  const endpoint = driver.path;

  test('each attempt has its request and exactly one ending, with the state that onRequest gave', async () => {
    const { hook, fired } = recorder();
    fake.answer(driver.operation, ...faults.serverErrors(2), { turn: { text: 'ok', usage: { input: 3, output: 4 } } });
    await driver.create(clientFor(fake, { hooks: [hook], wholeReplies: true }));
    expect(names(fired)).toBe('request error request error request response');
    expect(fired.map((one) => one.meta.attempt)).toEqual([0, 0, 1, 1, 2, 2]);
    expect(fired.map((one) => one.state)).toEqual([undefined, 1, undefined, 3, undefined, 5]);
    expect(fired[0]?.meta).toEqual({
      service,
      method: 'POST',
      endpoint,
      model: 'glm-5.2',
      attempt: 0,
      waitedMs: 0,
      operation: expect.objectContaining({ kind: 'call' }),
    });
    const { status, requestId, durationMs, usage, complete } = (fired.at(-1) as Fired).meta as ResponseMeta;
    expect({ status, complete }).toEqual({ status: 200, complete: true });
    expect(requestId).toMatch(/^\d{14}/);
    expect(durationMs).toBeGreaterThan(0);
    expect(JSON.stringify(usage)).toMatch(/3.*4/);
  });

  test('a stream fires each chunk before the caller gets it, and its response at the end, with usage', async () => {
    const { hook, fired } = recorder();
    fake.answer(driver.operation, faults.serverErrors(1), { turn: { text: ['a', 'b'], usage: { input: 3, output: 4 } } });
    const { items } = await taken(driver.stream(clientFor(fake, { hooks: [hook] })));
    expect(fired.filter((one) => one.name === 'chunk')).toHaveLength(items.length);
    expect(names(fired).replace(/(chunk )+/, 'chunks ')).toBe('request error request chunks response');
    expect(fired.at(-1)?.meta).toMatchObject({ attempt: 1, complete: true, usage: expect.anything() });
  });

  test('a stream that is left fires a response that is not complete', async () => {
    const { hook, fired } = recorder();
    fake.answer(driver.operation, { ...faults.silentAfterHeaders(2), reply: { turn: { text: 'a b c' } } });
    for await (const _ of driver.stream(clientFor(fake, { hooks: [hook] }))) break;
    expect(fired.at(-1)).toMatchObject({ name: 'response', meta: { complete: false } });
    expect(fired.filter((one) => one.name === 'response' || one.name === 'error')).toHaveLength(1);
  });

  test('a hook that throws, or rejects, has no effect', async () => {
    const broken: Hook = {
      onRequest: () => {
        throw new Error('broken hook');
      },
      onResponse: async () => {
        throw new Error('broken hook');
      },
      onChunk: () => {
        throw new Error('broken hook');
      },
    };
    const { hook, fired } = recorder();
    const client = clientFor(fake, { hooks: [broken, hook] });
    await driver.create(client);
    const { error } = await taken(driver.stream(client));
    expect(error).toBeUndefined();
    expect(fired.filter((one) => one.name === 'response')).toHaveLength(2);
  });
});

test('a hook that changes its metadata changes it for no other hook and not for the call', async () => {
  const refused: string[] = [];
  const attempt = (name: string, change: () => unknown): void => {
    try {
      change();
    } catch {
      refused.push(name);
    }
  };
  const vandal: Hook = {
    onRequest: (meta) => attempt('request', () => Object.assign(meta, { endpoint: '/forged', attempt: 9 })),
    onResponse: (meta) => {
      attempt('response', () => Object.assign(meta, { status: 500 }));
      attempt('usage', () => Object.assign(meta.usage as object, { prompt_tokens: 9999 }));
      attempt('details', () => Object.assign((meta.usage as { prompt_tokens_details: object }).prompt_tokens_details, { cached_tokens: 9999 }));
    },
  };
  const { hook, fired } = recorder();
  const usage = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7, prompt_tokens_details: { cached_tokens: 1 } };
  fake.answer('chat.create', { body: { id: '1', choices: [{}], usage } });
  const reply = await newClient(fake.configFor({ hooks: [vandal, hook] }))
    .chat()
    .create(undefined, { model: 'glm-5.2', messages: [{ role: 'user', content: 'hi' }] });
  expect(refused).toEqual(['request', 'response', 'usage', 'details']);
  expect(fired.map(({ meta }) => meta)).toMatchObject([
    { endpoint: '/chat/completions', attempt: 0 },
    { endpoint: '/chat/completions', status: 200, usage },
  ]);
  expect(reply.usage).toEqual(usage);
});

test('a hook that changes the error does not change whether the call is tried again', async () => {
  const vandal: Hook = { onError: (_meta, error) => void Object.assign(error, { status: 400, code: '1113' }) };
  fake.answer('chat.create', faults.serverErrors(1));
  await newClient(fake.configFor({ hooks: [vandal], retryDelay: 0 }))
    .chat()
    .create(undefined, { model: 'glm-5.2', messages: [{ role: 'user', content: 'hi' }] });
  expect(fake.requests).toHaveLength(2);
});

test('a promise of another library that rejects in a hook is not unhandled', async () => {
  const rejections = strictRejections();
  // A thenable that is not a Promise. Its rejection goes to the handler, or becomes an unhandled rejection.
  const rejecting = (): PromiseLike<void> => {
    let handled = false;
    const failed = new Error('broken hook');
    setImmediate(() => {
      if (!handled) void Promise.reject(failed);
    });
    return {
      // biome-ignore lint/suspicious/noThenProperty: a thenable is the point
      then: (onDone, onFailed) => {
        handled = typeof onFailed === 'function';
        return Promise.reject(failed).then(onDone, onFailed);
      },
    } as PromiseLike<void>;
  };
  const hook: Hook = { onRequest: rejecting, onResponse: () => void 0 as never, onChunk: rejecting as () => void };
  const { error } = await taken(
    newClient(fake.configFor({ hooks: [hook] }))
      .chat()
      .stream(undefined, { model: 'glm-5.2', messages: [{ role: 'user', content: 'hi' }] }),
  );
  expect(error).toBeUndefined();
  expect(await rejections.settled()).toEqual([]);
});

test('uploads, bytes and raw bindings fire too', async () => {
  const { hook, fired } = recorder();
  const client = newClient(fake.configFor({ hooks: [hook] }));
  const { id } = await client.files().upload(undefined, { file: new Uint8Array([1, 2, 3]), purpose: 'batch' });
  const content = await client.files().content(undefined, id);
  await content.bytes();
  await client.bindings('chat').GET('/models');
  expect(names(fired)).toBe('request response request response request response');
  expect(fired.map((one) => one.meta.endpoint)).toEqual([
    '/files',
    '/files',
    '/files/{file_id}/content',
    '/files/{file_id}/content',
    '/models',
    '/models',
  ]);
});

test('service and model are stamped for chat, messages, embeddings and rerank, and elsewhere only on request', async () => {
  const { hook, fired } = recorder();
  const client = newClient(fake.configFor({ hooks: [hook] }));
  await client.embeddings().create(undefined, { model: 'embedding-3', input: 'x' });
  await client.rerank().create(undefined, { model: 'rerank', query: 'x', documents: ['x'] });
  await client.images().generate(undefined, { model: 'cogview-4', prompt: 'x' });
  await client.images().generate(withModel(withService(undefined, 'pictures'), 'mine'), { model: 'cogview-4', prompt: 'x' });
  const stamps = fired.filter((one) => one.name === 'request').map(({ meta }) => [meta.service, meta.model]);
  expect(stamps).toEqual([
    ['embeddings', 'embedding-3'],
    ['rerank', 'rerank'],
    ['', ''],
    ['pictures', 'mine'],
  ]);
});
