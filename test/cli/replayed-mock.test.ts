// A recording on a port: any client gets the recorded replies, over real sockets.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Anthropic from '@anthropic-ai/sdk';
import { newClient } from 'modelsvc';
import { type FakeService, faults, type RedactionRules, readExchanges, recordExchanges } from 'modelsvc/testing';
import OpenAI from 'openai';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ends, run, withFake } from './support/in-process.ts';
import { newHome, type Started, start } from './support/run.ts';

const apiKey = 'fake-id.fake-secret';
const ask = (content: string) => ({ model: 'glm-5.3', messages: [{ role: 'user' as const, content }] });

/** Asks as four clients do. `roots` are the base URLs of a surface. */
async function everyAnswer(
  roots: { readonly platform: string; readonly messages: string; readonly responses: string },
  fetch?: typeof globalThis.fetch,
) {
  const own = { maxRetries: 0, ...(fetch && { fetch }) };
  const openai = new OpenAI({ apiKey, baseURL: roots.platform, ...own });
  const anthropic = new Anthropic({ authToken: apiKey, apiKey: null, baseURL: roots.messages, ...own });
  const responses = new OpenAI({ apiKey, baseURL: roots.responses, ...own });
  const chunks: string[] = [];
  for await (const chunk of await openai.chat.completions.create({ ...ask('stream'), stream: true }))
    chunks.push(chunk.choices[0]?.delta.content ?? '');
  const events: string[] = [];
  for await (const event of await anthropic.messages.create({ ...ask('events'), max_tokens: 9, stream: true })) events.push(event.type);
  const response = await responses.responses.create({ model: 'glm-5.3', input: 'an answer' });
  const failed = await openai.chat.completions.create(ask('fail')).catch((error: { status: number; code: string }) => [error.status, error.code]);
  const cut = await openai.chat.completions
    .create({ ...ask('cut'), stream: true })
    .then(async (stream) => {
      for await (const _ of stream);
    })
    .catch((error: unknown) => error instanceof Error);
  const listed = await openai.models.list();
  return { chunks, events, text: response.output_text, failed, cut, models: listed.data.map(({ id }) => id) };
}

async function recordedBy(fake: FakeService, file: string, redact: RedactionRules = {}): Promise<Awaited<ReturnType<typeof everyAnswer>>> {
  fake.answer('chat.create', { turn: { text: 'one two three' } }, faults.error(429, '1302'), faults.resetMidBody());
  const before = process.listeners('exit');
  const cassette = recordExchanges({ file, ci: false, mode: 'record', redact });
  const answers = await everyAnswer(fake.roots, cassette as typeof globalThis.fetch);
  await cassette.save().catch(() => undefined);
  // A cassette stays on guard until the process ends; other files share this one.
  for (const listener of process.listeners('exit')) if (!before.includes(listener)) process.off('exit', listener);
  return answers;
}

async function served(file: string, ...more: string[]): Promise<{ readonly url: string; readonly mock: Started }> {
  const mock = start(['mock', '--port', '0', '--replay', file, ...more]);
  return { url: (await mock.line()).trim(), mock };
}

describe('mock --replay', () => {
  it('gives each client the recorded replies, streams and failures, below any root, again and again', async () => {
    const { fake } = await withFake();
    const file = join(await newHome(), 'recorded.json');
    const recorded = await recordedBy(fake, file);
    expect(recorded).toMatchObject({ chunks: expect.arrayContaining(['one', ' two']), failed: [429, '1302'], cut: true });
    const { url, mock } = await served(file);
    const count = fake.requests.length;
    expect(await everyAnswer({ platform: url, messages: url, responses: url })).toEqual(recorded);
    const below = { platform: `${url}/api/coding/paas/v4`, messages: `${url}/api/anthropic`, responses: `${url}/api/v1` };
    expect(await everyAnswer(below)).toEqual(recorded);
    const client = newClient({ apiKey: 'another-key', endpoints: url, maxRetries: 0 });
    onTestFinished(() => client.close());
    expect((await client.models().list(undefined)).data.map(({ id }) => id)).toEqual(recorded.models);
    expect(fake.requests.length).toBe(count);
    mock.child.kill('SIGINT');
    expect(await mock.ended).toMatchObject(ends(0, /POST \/chat\/completions 200 chat\.create\n/));
  });

  it('answers a request that was not recorded with its place and the differences from the nearest one', async () => {
    const { fake } = await withFake();
    const file = join(await newHome(), 'recorded.json');
    await recordedBy(fake, file);
    const { url, mock } = await served(file);
    const post = (path: string, body: object) =>
      fetch(url + path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
    const other = await post('/chat/completions', { ...ask('fail'), temperature: 0.5 });
    expect(other.status).toBe(417);
    expect(await other.json()).toEqual({
      type: 'error',
      error: {
        type: 'not_recorded',
        code: 'not_recorded',
        message: `POST /chat/completions is not in ${file}. The nearest recorded request differs: body.temperature is 0.5, recorded as missing.`,
      },
    });
    expect(await (await post('/nowhere?a=SECRET', ask('fail'))).text()).toContain('path is \\"/nowhere\\", recorded as \\"/chat/completions\\"');
    mock.child.kill('SIGINT');
    const { stderr } = await mock.ended;
    expect(stderr).toMatch(/POST \/chat\/completions 417 chat\.create: refused: POST \/chat\/completions is not in /);
    expect(stderr).not.toContain('SECRET');
  });

  it('serves a bundle to the requests that it shows', async () => {
    const { fake } = await withFake();
    const file = join(await newHome(), 'bundle.json');
    await recordedBy(fake, file, { profile: 'bundle' });
    const { exchanges } = readExchanges(await readFile(file, 'utf8'));
    const { url } = await served(file);
    for (const { request, response } of exchanges) {
      const body = request.body === undefined ? {} : { body: JSON.stringify(request.body) };
      const reply = await fetch(url + request.path, { method: request.method, headers: { 'content-type': 'application/json' }, ...body });
      expect([request.path, reply.status]).toEqual([request.path, response.status]);
      await reply.text().catch(() => undefined);
    }
    expect(exchanges.length).toBe(6);
  });

  const good = { request: { method: 'GET', host: 'api.z.ai', path: '/api/paas/v4/models', headers: {} }, response: { status: 200, headers: {} } };
  const text = JSON.stringify({ format: 'modelsvc/exchanges', version: 1, exchanges: [good] });
  const key = 'abcdef0123456789abcdef0123456789.Sec2etSec2etSec2';
  it.each([
    ['is empty', '', 'is empty', 'Record it again'],
    ['is cut off', text.slice(0, -30), 'is cut off', 'Restore it'],
    ['is a page', '<html>', 'is not JSON', 'Record it again'],
    ['is of another program', '{}', 'format must be modelsvc/exchanges', 'Record it again'],
    ['is of a newer version', text.replace('"version":1', '"version":2'), 'version must be 1, but is 2', 'Update modelsvc'],
    ['has an unknown field', text.replace('"status"', '"state"'), 'exchanges[0].response.state is unknown', 'Record it again'],
    ['has a key', text.replace('/models', `/models?${key}`), 'has a text that looks like a key of the service', 'revoke it'],
    ['has no exchanges', text.replace(/\[.*\]/, '[]'), 'has no exchanges', 'recordExchanges'],
  ])('refuses a file that %s, before it listens', async (_what, content, problem, cure) => {
    const file = join(await newHome(), 'bad.json');
    await writeFile(file, content);
    const { code, stdout, stderr } = await run(['mock', '--port', '0', '--replay', file]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^modelsvc: --replay: /);
    for (const words of [file, problem, cure]) expect(stderr).toContain(words);
    expect(stderr).not.toContain(key);
  });

  it('refuses a file that is not there, and a folder', async () => {
    const home = await newHome();
    await mkdir(join(home, 'folder'));
    for (const [name, problem] of [
      ['none.json', 'does not exist'],
      ['folder', 'it is a folder'],
    ] as const) {
      expect(await run(['mock', '--port', '0', '--replay', join(home, name)])).toMatchObject(ends(2, problem));
    }
  });

  it.each([
    ['--reply', 'a'],
    ['--fault', 'truncatedStream'],
    ['--fault-once', 'truncatedStream'],
    ['--at-once', '2'],
    ['--key', 'k'],
    ['--no-validate'],
  ])('is refused with %s, which a recording has no place for', async (...option) => {
    const file = join(await newHome(), 'good.json');
    await writeFile(file, text);
    expect(await run(['mock', '--port', '0', '--replay', file, ...option])).toMatchObject(ends(2, `--replay and ${option[0]} exclude each other`));
  });
});
