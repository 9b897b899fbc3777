// First runs of a cassette: uploads of other clients, failures of the set-up, recordings without a use, URLs, and bytes that are not UTF-8.
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { expect, test } from 'vitest';
import { isApiError } from '../../../src/overlay/index.ts';
import { fakeKey, faults, replayExchanges } from '../../../src/testing/index.ts';
import { surfaces, taken } from '../../support/both-ways.ts';
import { sharedFake } from '../../support/fake.ts';
import { clientOver, contentOf, newFile, noSockets, quietWarnings, recorder } from './support.ts';

const fake = await sharedFake();
const file = (): File => new File(['{"a":1}\n'], 'lines.jsonl', { type: 'application/jsonl' });

test.each([
  ['openai', (fetch: never) => new OpenAI({ apiKey: fakeKey, baseURL: fake.roots.platform, fetch }).files.create({ file: file(), purpose: 'batch' })],
  ['Anthropic', (fetch: never) => new Anthropic({ apiKey: fakeKey, baseURL: fake.roots.messages, fetch }).beta.files.upload({ file: file() })],
] as const)('an upload of the client of %s is recorded and replayed without problems', async (_name, upload) => {
  const path = newFile();
  const cassette = recorder(path);
  fake.fallback('*', { body: { id: 'file-1' } });
  const recorded = await upload(cassette as never).catch((error: unknown) => error);
  await cassette.save();
  expect(contentOf(path).exchanges).toHaveLength(1);
  const attempts = noSockets();
  const replay = replayExchanges(path);
  const replayed = await upload(replay as never).catch((error: unknown) => error);
  expect(JSON.stringify(replayed)).toBe(JSON.stringify(recorded));
  expect([replay.problems, replay.unused, attempts()]).toEqual([[], [], 0]);
});

test.each(
  surfaces.flatMap((driver) =>
    (
      [
        [401, '1002'],
        [403, '1220'],
        [429, '1113'],
      ] as const
    ).map(([status, code]) => [driver.surface, status, code, driver] as const),
  ),
)('mode `once` does not record a failure of the set-up: %s, %d %s', async (_surface, status, code, driver) => {
  const warnings = quietWarnings();
  const path = newFile();
  for (const stream of [false, true]) {
    const cassette = recorder(path);
    const client = clientOver(cassette, fake.url, { maxRetries: 0 });
    const ask = (): Promise<unknown> =>
      stream ? taken(driver.stream(client)).then(({ error }) => error) : driver.create(client).catch((error: unknown) => error);
    fake.answer(driver.operation, faults.error(status, code));
    expect(isApiError(await ask())).toBe(true);
    expect(cassette.problems).toHaveLength(1);
    expect(cassette.problems[0]).toContain(`failed with status ${status}, code ${code}, and was not recorded in ${path}`);
    await expect(cassette.save()).rejects.toThrow("mode: 'record'");
    // The next request is sent again, and recorded.
    expect(isApiError(await ask())).toBe(false);
    await cassette.save().catch(() => undefined);
    expect(contentOf(path).exchanges).toHaveLength(stream ? 2 : 1);
  }
  expect(warnings).toHaveLength(2);
});

test('a wrong key inside status 200 is not recorded either; other failures and mode `record` are', async () => {
  quietWarnings();
  const path = newFile();
  const once = recorder(path);
  await clientOver(once, fake.url, { apiKey: 'wrong.key-of-a-test', maxRetries: 0 })
    .responses()
    .create(undefined, { model: 'glm-5.2', input: 'hi' })
    .catch(() => undefined);
  expect(once.problems[0]).toContain('failed with status 200, code 1000');
  fake.answer('chat.create', faults.error(400, '1211'));
  await clientOver(once, fake.url, { maxRetries: 0 })
    .chat()
    .createSimple(undefined, 'glm-5.2', 'hi')
    .catch(() => undefined);
  expect(contentOf(path).exchanges).toHaveLength(1);
  const record = recorder(path, { mode: 'record' });
  fake.answer('chat.create', faults.error(401, '1002'));
  await clientOver(record, fake.url, { maxRetries: 0 })
    .chat()
    .createSimple(undefined, 'glm-5.2', 'ho')
    .catch(() => undefined);
  await record.save();
  expect(contentOf(path).exchanges).toHaveLength(2);
});

test('recordings that no request used can be asked for', async () => {
  const path = newFile();
  const recording = recorder(path);
  const ask = (cassette: typeof recording, text: string): Promise<unknown> =>
    clientOver(cassette, fake.url).chat().createSimple(undefined, 'glm-5.2', text);
  for (const text of ['one', 'two', 'two']) await ask(recording, text);
  expect(recording.unused).toEqual([]);
  const replay = replayExchanges(path);
  const place = 'POST localhost/chat/completions';
  expect(replay.unused).toEqual([place, place, place]);
  await ask(replay, 'two');
  expect(replay.unused).toEqual([place, place]);
  await ask(replay, 'one');
  await ask(replay, 'two');
  expect(replay.unused).toEqual([]);
  const again = recorder(path, { mode: 'record' });
  await ask(again, 'one');
  expect(again.unused).toEqual([place, place]);
});

test('a played response has its URL', async () => {
  const path = newFile();
  const url = `${fake.host('/a.txt', { body: 'text' })}`;
  const recording = recorder(path);
  expect((await recording(url)).url).toBe(url);
  await (await recording(`${url}?b=1`)).text();
  await recording(url).then((response) => response.text());
  const replay = replayExchanges(path);
  expect((await replay(`${url}?b=1`)).url).toBe(`${url}?b=1`);
});

test.each(['text/event-stream', 'application/json', 'text/plain; charset=gbk'])(
  'bytes of %s that are not UTF-8 are played as they were, without the key',
  async (type) => {
    const path = newFile();
    const parts = [
      Buffer.from('data: '),
      Buffer.from([0xc4, 0xe3, 0xba, 0xc3]),
      Buffer.from(`\n\ndata: {"ok":"好"}\n\ndata: ${fakeKey} `),
      Buffer.from([0xff]),
      Buffer.from('\n\n'),
    ];
    const bytes = Buffer.concat(parts);
    const url = fake.host('/bytes', { body: bytes, headers: { 'content-type': type } });
    const recording = recorder(path);
    const init = { headers: { authorization: `Bearer ${fakeKey}` } };
    expect(Buffer.from(await (await recording(url, init)).arrayBuffer()).equals(bytes)).toBe(true);
    await recording.save();
    const played = Buffer.from(await (await replayExchanges(path)(url)).arrayBuffer());
    expect(played.toString('latin1')).toBe(bytes.toString('latin1').replace(fakeKey, '<key>'));
    expect(JSON.stringify(contentOf(path))).not.toContain(Buffer.from(fakeKey).toString('base64').slice(0, 12));
  },
);
