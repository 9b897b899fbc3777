// Cassettes of earlier versions, which kept what is a credential by now, still play.
import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { replayExchanges } from '../../../src/testing/index.ts';
import { contentOf, newFile, recorder } from './support.ts';

const link = 'https://files.example/cat.mp4?Expires=1790000000&Signature=a1B2c3D4e5F6a7B8';
const ownBody = { model: 'glm-5.3', token: 'a1-word-of-mine', passphrase: 'b2-word-of-mine', note: 'the team is team-blue-4711' };
const older = {
  format: 'modelsvc/exchanges',
  version: 1,
  exchanges: [
    {
      request: {
        method: 'POST',
        host: 'api.z.ai',
        path: '/v1/video?key=c3-word-of-mine&n=1',
        headers: { 'content-type': 'application/json' },
        body: ownBody,
      },
      response: { status: 200, headers: { 'content-type': 'application/json' }, body: { link } },
    },
    ...['one', 'two'].map((text) => ({
      request: { method: 'GET', host: 'files.example', path: link.slice('https://files.example'.length), headers: {} },
      response: { status: 200, headers: { 'content-type': 'text/plain' }, text },
    })),
  ],
};

type Fetch = ReturnType<typeof replayExchanges>;
const ask = (fetch: Fetch, body: object = ownBody): Promise<Response> =>
  fetch('https://api.z.ai/v1/video?key=c3-word-of-mine&n=1', {
    method: 'POST',
    headers: { authorization: 'Bearer none', 'content-type': 'application/json', 'x-team': 'team-blue-4711' },
    body: JSON.stringify(body),
  });

test('each request finds its answers, in their order', async () => {
  const file = newFile();
  writeFileSync(file, JSON.stringify(older));
  const replay = replayExchanges(file);
  expect(await (await ask(replay)).json()).toEqual({ link });
  expect(await (await replay(link)).text()).toBe('one');
  expect(await (await replay(link)).text()).toBe('two');
  expect((await replay(link)).status).toBe(417);
  await expect(replay.save()).rejects.toThrow('its 2 answers are used');
});

test('a miss names what differs, and not what is removed by now', async () => {
  const file = newFile();
  writeFileSync(file, JSON.stringify(older));
  const replay = replayExchanges(file);
  await ask(replay, { ...ownBody, model: 'glm-5.2' });
  expect(replay.problems).toEqual([expect.stringContaining('differs: body.model is "glm-5.2", recorded as "glm-5.3".')]);
});

test('recording again replaces them, without what is removed by now', async () => {
  const file = newFile();
  writeFileSync(file, JSON.stringify(older));
  const cassette = recorder(file, { mode: 'record', fetch: async () => Response.json({ link }) });
  await (await ask(cassette)).text();
  for (const _ of ['one', 'two']) await (await cassette(link)).text();
  await cassette.save();
  const { exchanges } = contentOf(file);
  expect(exchanges).toHaveLength(3);
  for (const text of ['word-of-mine', 'a1B2c3D4', 'team-blue']) expect(JSON.stringify(exchanges)).not.toContain(text);
});
