import { describe, expect, test } from 'vitest';
import { allRoutes, type Route } from '../../src/generated/routes.ts';
import { isModelsvcError, newClient } from '../../src/overlay/index.ts';
import type { FakeFile } from '../../src/testing/index.ts';
import { everyOperation } from '../support/every-operation.ts';
import { failure } from '../support/failure.ts';
import { sharedFake } from '../support/fake.ts';

const fake = await sharedFake();

type Fields = Record<string, unknown>;
type Post = (path: string, init: { readonly body: unknown }) => Promise<{ readonly data?: unknown; readonly error?: unknown }>;

const bindings = newClient(fake.configFor()).bindings('chat');
const post = bindings.POST as Post;
const forms = allRoutes.filter(({ request }) => request === 'multipart').map((route) => [route.id, route] as const);

/** The fields that the service sends for an operation, a file as `fileOf` makes it. */
async function fieldsOf({ id }: Route, fileOf: (file: FakeFile) => unknown): Promise<Fields> {
  await everyOperation[id]?.perform(newClient(fake.configFor()));
  const sent = Object.entries(fake.requests.at(-1)?.body as Fields);
  return Object.fromEntries(sent.map(([name, value]) => [name, typeof value === 'string' ? value : fileOf(value as FakeFile)]));
}

describe('the bindings send a form as the services do', () => {
  const kinds: readonly (readonly [string, (file: FakeFile) => unknown])[] = [
    ['a Blob', ({ bytes, type }) => new Blob([bytes as Uint8Array<ArrayBuffer>], { type })],
    ['a File', ({ bytes, name, type }) => new File([bytes as Uint8Array<ArrayBuffer>], name, { type })],
    ['bytes', ({ bytes }) => bytes],
    ['a stream', ({ bytes }) => new Blob([bytes as Uint8Array<ArrayBuffer>]).stream()],
  ];
  test.each(forms.flatMap(([id, route]) => kinds.map(([kind, fileOf]) => [id, kind, route, fileOf] as const)))(
    '%s with %s',
    async (_id, _kind, route, fileOf) => {
      const body = await fieldsOf(route, fileOf);
      const [before] = fake.requests.slice(-1);
      const { error } = await post(route.path, { body });
      const [after] = fake.requests.slice(-1);
      expect([error, after?.operation]).toEqual([undefined, route.id]);
      expect(named(after?.body)).toEqual(named(before?.body));
    },
  );

  test.each(forms)('%s as a FormData', async (_id, route) => {
    const body = new FormData();
    const fields = await fieldsOf(route, ({ bytes }) => new Blob([bytes as Uint8Array<ArrayBuffer>]));
    for (const [name, value] of Object.entries(fields)) body.set(name, value as Blob);
    expect((await post(route.path, { body })).error).toBeUndefined();
  });

  const wrong = { object: {}, symbol: Symbol('a'), function: () => 1, NaN: Number.NaN };
  test.each(forms.flatMap(([id, route]) => Object.entries(wrong).map(([kind, value]) => [id, kind, route, value] as const)))(
    '%s with a value that is a %s is refused before it is sent',
    async (_id, _kind, route, value) => {
      const body = await fieldsOf(route, ({ bytes }) => bytes);
      const { length } = fake.requests;
      for (const name of [...Object.keys(body), 'more']) {
        const error = await failure(post(route.path, { body: { ...body, [name]: value } }));
        expect([isModelsvcError(error, 'validation') && error.path, isModelsvcError(error, 'validation') && error.operation]).toEqual([
          name,
          `POST ${route.path}`,
        ]);
      }
      for (const whole of ['text', 7, null, []]) expect(isModelsvcError(await failure(post(route.path, { body: whole })), 'validation')).toBe(true);
      expect(fake.requests).toHaveLength(length);
    },
  );
});

/** The parts of a form without the facts that a kind of file does not have. */
function named(body: unknown): Fields {
  return Object.fromEntries(
    Object.entries(body as Fields).map(([name, value]) => [name, typeof value === 'string' ? value : (value as FakeFile).bytes]),
  );
}

describe('the bindings give bytes as an ArrayBuffer', () => {
  const speech = { body: { model: 'glm-tts', input: 'a', voice: 'tongtong' } } as const;
  const content = { params: { path: { file_id: 'f' } } } as const;
  const bytes = new Uint8Array([82, 73, 70, 70, 0, 255, 254]);
  const headers = { 'content-type': 'application/octet-stream' };

  async function* blocks(): AsyncGenerator<Uint8Array> {
    yield bytes;
  }

  test.each([true, false])('of every route of bytes, with its length: %s', async (isSized) => {
    const reply = () => ({ body: isSized ? bytes : blocks(), headers });
    fake.fallback('audio.speech', reply).fallback('files.content', reply);
    const spoken = await bindings.POST('/audio/speech', speech);
    const stored = await bindings.GET('/files/{file_id}/content', content);
    const asked = await bindings.request('get', '/files/{file_id}/content', content);
    for (const { data } of [spoken, stored, asked]) expect(new Uint8Array(data as ArrayBuffer)).toEqual(bytes);
  });

  test('unless parseAs is set', async () => {
    fake.fallback('files.content', { body: '{"a":1}', headers });
    const { data } = await bindings.GET('/files/{file_id}/content', { ...content, parseAs: 'text' });
    const json = await bindings.GET('/files/{file_id}/content', { ...content, parseAs: 'json' });
    expect([data, json.data]).toEqual(['{"a":1}', { a: 1 }]);
  });
});
