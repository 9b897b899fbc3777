import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import Anthropic from '@anthropic-ai/sdk';
import { createParser } from 'eventsource-parser';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { examples } from '../../src/generated/examples.ts';
import { allRoutes } from '../../src/generated/routes.ts';
import { anthropicTextMessage, type Client, isApiError, newClient } from '../../src/overlay/index.ts';
import { accepted, collect, exchangeOf, failureOf, preferring, withoutRetries } from '../support/spec.ts';
import { payloads, replyExamples, requestExamples } from '../support/spec-examples.ts';

/** The operation, the name and the text of each stream example. */
const streams = Object.keys(examples).flatMap((id) =>
  replyExamples(id, 'text/event-stream').map(([name, text]) => [id, name, String(text)] as const),
);

/** The mock as people start it: the command itself, on a free port. */
function startCommand(): { child: ChildProcess; url: Promise<string> } {
  const project = fileURLToPath(new URL('../..', import.meta.url));
  const child = spawn(process.execPath, ['node_modules/.bin/prism', 'mock', 'spec/openapi.yaml', '-p', '0', '--errors'], { cwd: project });
  const url = new Promise<string>((resolve, reject) => {
    let output = '';
    const read = (block: Buffer): void => {
      output += block;
      const [, found] = /listening on (http:\/\/127\.0\.0\.1:\d+)/.exec(output) ?? [];
      if (found !== undefined) resolve(found);
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.once('exit', (code) => reject(new Error(`prism ended with code ${code}: ${output}`)));
  });
  return { child, url };
}

describe('prism mock spec/openapi.yaml', () => {
  let child: ChildProcess;
  let client: Client;
  let url: string;

  beforeAll(async () => {
    const command = startCommand();
    child = command.child;
    url = await command.url;
    client = newClient({ apiKey: 'any', endpoints: url });
  });

  afterAll(async () => {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill();
    await ended;
  });

  const hello = { model: 'glm-4.6', messages: [{ role: 'user', content: 'hi' }] };
  const message = { model: 'glm-4.7', max_tokens: 64, messages: [anthropicTextMessage('user', 'hi')] };

  it('answers a chat', async () => {
    const reply = await client.chat().create(undefined, hello);
    expect(reply).toEqual(replyExamples('chat.create')[0]?.[1]);
    expect(exchangeOf(reply)).toEqual(accepted);
  });

  it('streams a chat', async () => {
    const stream = client.chat().stream(undefined, hello);
    const { items, error } = await collect(stream);
    expect(error).toBeUndefined();
    expect(items.map((chunk) => chunk.choices?.[0]?.delta.content ?? '').join('')).toContain('kettle');
    expect(exchangeOf(stream)).toEqual(accepted);
  });

  it('answers a message', async () => {
    const reply = await client.anthropic().create(preferring('thinking'), message);
    expect(reply.thinking()).toContain('91');
    expect(exchangeOf(reply)).toEqual(accepted);
  });

  it('streams a message', async () => {
    const { items, error } = await collect(client.anthropic().stream(undefined, message));
    expect(error).toBeUndefined();
    expect(items.at(-1)?.type).toBe('message_stop');
  });

  it('fails when asked to', async () => {
    const error = await failureOf(() => client.chat().create(withoutRetries(preferring('rateLimit', '429')), hello));
    expect(isApiError(error)).toBe(true);
    expect(error).toMatchObject({ status: 429, code: '1302' });
  });

  it('refuses a request without a key', async () => {
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(hello) };
    expect((await fetch(`${url}/chat/completions`, init)).status).toBe(401);
    expect((await fetch(`${url}/chat/completions`, { ...init, headers: { ...init.headers, authorization: 'Bearer key' } })).status).toBe(200);
  });

  it('has the examples of the document', () => {
    expect(streams).toHaveLength(21);
  });

  // A strict reader dispatches an event at its blank line, so the last one is lost without.
  it.each(streams)('%s: the stream %s arrives whole', async (id, name, text) => {
    const { path = '', request } = allRoutes.find((route) => route.id === id) ?? {};
    const isJson = request === 'json';
    const form = new FormData();
    for (const [field, value] of Object.entries({ model: 'glm-asr-2512', stream: 'true', file: new Blob(['RIFF']) })) form.append(field, value);
    const response = await fetch(url + path, {
      method: 'POST',
      headers: {
        authorization: 'Bearer any',
        'anthropic-version': '2023-06-01',
        accept: 'text/event-stream',
        prefer: `example=${name}`,
        ...(isJson && { 'content-type': 'application/json' }),
      },
      body: isJson ? JSON.stringify(requestExamples(id)[0]?.[1]) : form,
    });
    expect(response.status, response.headers.get('sl-violations') ?? '').toBe(200);
    const read: string[] = [];
    createParser({ onEvent: ({ data }) => read.push(data) }).feed(await response.text());
    expect(read.filter((data) => data !== '[DONE]').map((data): unknown => JSON.parse(data))).toEqual(payloads(text));
    expect(read.includes('[DONE]')).toBe(text.includes('[DONE]'));
  });

  describe('the clients of other vendors', () => {
    const options = { apiKey: 'any', maxRetries: 0 };
    const messages = [{ role: 'user' as const, content: 'hi' }];
    const headersFor = (name: string): { headers: Record<string, string> } => ({
      headers: { prefer: `example=${name}`, accept: 'text/event-stream', authorization: 'Bearer any' },
    });
    const ask: Record<string, (name: string) => Promise<AsyncIterable<unknown>>> = {
      'chat.create': (name) =>
        new OpenAI({ ...options, baseURL: url }).chat.completions.create({ model: 'glm-5.2', messages, stream: true }, headersFor(name)),
      'responses.create': (name) =>
        new OpenAI({ ...options, baseURL: url }).responses.create({ model: 'glm-5.3', input: 'hi', stream: true }, headersFor(name)),
      'anthropic.create': (name) =>
        new Anthropic({ ...options, baseURL: url }).messages.create({ model: 'glm-5.2', max_tokens: 64, messages, stream: true }, headersFor(name)),
    };

    it("speech with the `accept` of openai is refused with 406, and read with the document's", async () => {
      const speak = (headers: Record<string, string>): Promise<Response> =>
        new OpenAI({ ...options, baseURL: url }).audio.speech.create(
          { model: 'glm-tts', input: 'hi', voice: 'tongtong' },
          { headers: { authorization: 'Bearer any', ...headers } },
        );
      expect(await failureOf(() => speak({}))).toMatchObject({ status: 406 });
      expect(await (await speak({ accept: 'audio/wav' })).text()).toBe('RIFF audio bytes');
    });
    /** A chunk as openai 7 hands it over: with the null of a choice that has not ended. */
    const whole = (payload: unknown): unknown => {
      const { choices } = payload as { choices?: object[] };
      return choices ? { ...(payload as object), choices: choices.map((choice) => ({ finish_reason: null, ...choice })) } : payload;
    };

    it.each(streams.filter(([id]) => id in ask))('%s: read the stream %s to its end', async (id, name, text) => {
      const items: unknown[] = [];
      const read = async (): Promise<void> => {
        for await (const item of (await ask[id]?.(name)) ?? []) items.push(item);
      };
      const isError = name === 'error' || name === 'failed';
      const failure = await read().then(
        () => undefined,
        (error: unknown) => error,
      );
      expect(failure instanceof Error).toBe(isError);
      const sent = payloads(text)
        .map(whole)
        .filter((payload) => (payload as { type?: string }).type !== 'ping');
      expect(items.filter((item) => (item as { type?: string }).type !== 'ping')).toEqual(isError ? sent.slice(0, -1) : sent);
    });
  });
});
