import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect } from 'vitest';
import { type Config, finishError, isModelsvcError, newClient } from '../../src/overlay/index.ts';
import { type Answer, faults } from '../../src/testing/index.ts';
import { test as it } from '../support/fixture.ts';
import { failureOf } from '../support/spec.ts';

const request = { model: 'glm-5.3', messages: [{ role: 'user', content: 'Hi' }] };
const signal = AbortSignal.abort(new Error('secret reason'));

describe('JSON.stringify of an error', () => {
  it.for<[string, Answer, Partial<Config>, object]>([
    ['api', faults.error(400, '1210', 'Wrong'), {}, { status: 400, code: '1210', category: 'parameter', retryable: false, attempts: 1 }],
    ['api', faults.rateLimit(), { maxRetries: 1 }, { status: 429, code: '1302', retryable: true, attempts: 2 }],
    ['connection', faults.resetBeforeHeaders(), {}, { code: 'ECONNRESET', attempts: 1 }],
    ['timeout', faults.silentBeforeHeaders(), { timeout: 50 }, { attempts: 1 }],
    ['reply', faults.cutJson(), { wholeReplies: true }, {}],
  ])('%s has its name, message and facts, and no cause', async ([kind, answer, config, facts], { fake, client }) => {
    fake.fallback('chat.create', answer);
    const error = await failureOf(() =>
      client
        .with({ maxRetries: 0, ...config })
        .chat()
        .create(undefined, request),
    );
    if (!isModelsvcError(error)) throw error;
    const json = JSON.parse(JSON.stringify(error)) as Record<string, unknown>;
    expect(json).toMatchObject({ name: error.name, message: error.message, kind, ...facts });
    for (const name of ['cause', 'previous', 'partial', 'response', 'stack']) expect(json).not.toHaveProperty(name);
  });

  it('of errors without an attempt', async ({ client }) => {
    const errors = [
      await failureOf(() => client.chat().create({ signal }, request)),
      await failureOf(() => client.chat().create(undefined, {} as never)),
      await failureOf(async () => newClient({} as never)),
      finishError({ choices: [{ index: 0, finish_reason: 'length', message: { role: 'assistant', content: 'secret' } }] } as never),
    ];
    for (const error of errors) {
      expect(JSON.parse(JSON.stringify(error))).toMatchObject({ name: (error as Error).name, message: (error as Error).message });
      expect(JSON.stringify(error)).not.toContain('secret');
    }
  });
});

describe('an error body that is compressed without its header', () => {
  const text = JSON.stringify({ error: { code: '1210', message: 'Wrong parameter, and more words so that there is something to compress.' } });
  it.for([
    ['gzip', gzipSync(text)],
    ['deflate', deflateSync(text)],
    ['brotli', brotliCompressSync(text.repeat(3))],
  ] as const)('%s is named, and none of it is shown', async ([, body], { fake, client }) => {
    fake.fallback('chat.create', { status: 400, body, headers: { 'content-type': 'application/json' } });
    const error = await failureOf(() => client.with({ maxRetries: 0 }).chat().create(undefined, request));
    expect((error as Error).message).toMatch(/^chat\.create: got bytes, perhaps compressed, instead of JSON \(status 400/);
    expect((error as Error).message).not.toMatch(/\ufffd/);
  });
});
