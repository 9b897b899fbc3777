import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anthropicTextMessage, type Client, isApiError, newClient } from '../../src/overlay/index.ts';
import { accepted, collect, exchangeOf, failureOf, preferring, withoutRetries } from '../support/spec.ts';
import { replyExamples } from '../support/spec-examples.ts';

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
});
