import { beforeAll, expect, test } from 'vitest';
import type { ErrorKind } from '../../src/overlay/index.ts';
import * as source from '../../src/overlay/index.ts';

// The build is a second copy of the same package, as an application gets one by way of a dependency.
let built: typeof source;
beforeAll(async () => {
  const url = new URL('../../dist/index.js', import.meta.url).href;
  built = (await import(url)) as typeof source;
});

const failing: [kind: ErrorKind, fail: (copy: typeof source) => unknown][] = [
  ['config', (copy) => copy.newClient({ apiKey: '' })],
  [
    'validation',
    (copy) =>
      client(copy, 500)
        .chat()
        .create(undefined, {} as never),
  ],
  ['abort', (copy) => client(copy, 500).models().list(AbortSignal.abort())],
  ['api', (copy) => client(copy, 400).models().list(undefined)],
  ['reply', (copy) => client(copy, 200).models().list(undefined)],
  ['connection', (copy) => client(copy, 0).models().list(undefined)],
];

function client(copy: typeof source, status: number): source.Client {
  return copy.newClient({
    apiKey: 'k',
    maxRetries: 0,
    httpClient: async () => {
      if (status === 0) throw new TypeError('fetch failed');
      return new Response(status === 200 ? '' : '{"error":{"code":"1210","message":"x"}}', { status });
    },
  });
}

async function errorOf(fail: () => unknown): Promise<unknown> {
  try {
    await fail();
  } catch (error) {
    return error;
  }
  throw new Error('nothing failed');
}

test.each(failing)('a %s error of one copy is known to the guards of the other', async (kind, fail) => {
  for (const [maker, judge] of [
    [built, source],
    [source, built],
  ] as const) {
    const error = await errorOf(() => fail(maker));
    expect(error).not.toBeInstanceOf(judge.ModelsvcError);
    expect(judge.isModelsvcError(error)).toBe(true);
    for (const [other] of failing) expect(judge.isModelsvcError(error, other)).toBe(other === kind);
  }
});

test('a context, a signal and a hook made with one copy work in the other', async () => {
  const seen: string[] = [];
  const copy = built.newClient({
    apiKey: 'k',
    hooks: [{ onRequest: (meta) => void seen.push(meta.model) }],
    httpClient: async () => Response.json({ id: '1', choices: [{}] }),
  });
  const request = { model: 'glm-5.2', messages: [{ role: 'user', content: 'hi' }] };
  await copy.chat().create(source.withModel(undefined, 'named elsewhere'), request);
  expect(seen).toEqual(['named elsewhere']);
});
