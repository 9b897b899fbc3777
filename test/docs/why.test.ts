// The table of README.md "Why not `openai` with a base URL?": each row with both clients against the same server.
import OpenAI from 'openai';
import { describe, expect, onTestFinished } from 'vitest';
import { type Config, collectChat, isApiError, isStreamError, isTimeoutError, newClient } from '../../src/overlay/index.ts';
import { type Answer, type FakeService, fakeKey, faults } from '../../src/testing/index.ts';
import { until } from '../support/clock.ts';
import { failure } from '../support/failure.ts';
import { test } from '../support/fixture.ts';
import { held } from '../support/held.ts';
import { textOf } from './snippets.ts';

const messages = [{ role: 'user' as const, content: 'Hi' }];
const request = { model: 'glm-5.2', messages };
const anyOf = { type: 'object', properties: { city: { anyOf: [{ type: 'string' }, { type: 'null' }] } } };
const tools = [{ type: 'function' as const, function: { name: 'weather', description: 'The weather', parameters: anyOf } }];

const openai = (fake: FakeService, options: object = {}): OpenAI => new OpenAI({ apiKey: fakeKey, baseURL: fake.roots.platform, ...options });
const ours = (fake: FakeService, config: Partial<Config> = {}): ReturnType<ReturnType<typeof newClient>['chat']> => {
  const client = newClient(fake.configFor(config));
  onTestFinished(() => client.close());
  return client.chat();
};

const rows = textOf('README.md')
  .split('\n')
  .filter((line) => line.startsWith('| `'));
const row = (key: string): string => rows.find((line) => line.startsWith(`| \`${key}\` `)) ?? '';

describe('the row', () => {
  test('truncated stream', async ({ fake }) => {
    expect(row('truncated stream')).toMatch(/part of the answer, as a success \| `StreamError` with that part/);
    const pieces = ['one ', 'two ', 'three '].map((content) => ({ id: '1', choices: [{ index: 0, delta: { content } }] }));
    // The body ends as that of a complete stream would, but without a finish reason and `[DONE]`.
    fake.fallback('chat.create', { frames: pieces });
    let text = '';
    for await (const { choices } of await openai(fake).chat.completions.create({ ...request, stream: true })) text += choices[0]?.delta.content ?? '';
    expect(text).toBe('one two three ');
    const error = await failure(collectChat(ours(fake).stream(undefined, request)));
    expect(isStreamError(error) && JSON.stringify(error.partial)).toContain('one ');
  });

  test('error inside 200', async ({ fake }) => {
    expect(row('error inside 200')).toMatch(/a completion without `choices` \| `ApiError` with its code and the next step/);
    fake.fallback('chat.create', faults.embeddedFailure(undefined, '1113'));
    const completion = await openai(fake).chat.completions.create(request);
    expect(completion.choices).toBeUndefined();
    const error = await failure(ours(fake).create(undefined, request));
    expect(isApiError(error) && [error.code, error.advice]).toEqual(['1113', expect.stringContaining('recharge')]);
  });

  test('anyOf in a tool schema', async ({ fake }) => {
    expect(row('anyOf in a tool schema')).toMatch(/status 500, after 3 requests \| an answer, because the schema is rewritten/);
    // As the service does.
    const refusing: Answer = ({ body }) => (JSON.stringify(body).includes('anyOf') ? faults.error(500, '500') : { turn: { text: 'Rain.' } });
    fake.fallback('chat.create', refusing);
    expect(await failure(openai(fake).chat.completions.create({ ...request, tools }))).toMatchObject({ status: 500 });
    expect(fake.requests).toHaveLength(3);
    expect((await ours(fake).create(undefined, { ...request, tools })).choices[0]?.message.content).toBe('Rain.');
  });

  test('timeout of the header', async ({ fake }) => {
    expect(row('timeout of the header')).toMatch(/3 requests, each of which may be billed \| 1 request, then `TimeoutError`/);
    fake.fallback('chat.create', faults.silentBeforeHeaders());
    expect(await failure(openai(fake, { timeout: 50 }).chat.completions.create(request))).toBeInstanceOf(OpenAI.APIConnectionTimeoutError);
    expect(fake.requests).toHaveLength(3);
    expect(await failure(ours(fake, { timeout: 50 }).create(undefined, request))).toSatisfy(isTimeoutError);
    expect(fake.requests).toHaveLength(4);
  });

  test('1302 with 40 calls at once', async ({ fake }) => {
    expect(row('1302 with 40 calls at once')).toMatch(/36 fail if 4 are allowed \| 40 answers, with `concurrency: 'auto'`/);
    fake.capacity({ atOnce: 4 });
    const answers = held(fake);
    const client = openai(fake);
    const counts = { answered: 0, failed: 0 };
    const calls = Array.from({ length: 40 }, () =>
      client.chat.completions.create(request).then(
        () => counts.answered++,
        () => counts.failed++,
      ),
    );
    // An answer takes longer than the retries of the client.
    await until(() => counts.failed === 36);
    answers.open();
    await Promise.all(calls);
    expect(counts).toEqual({ answered: 4, failed: 36 });
    const chat = ours(fake, { concurrency: 'auto' });
    const replies = await Promise.all(Array.from({ length: 40 }, () => chat.create(undefined, request)));
    expect(replies.map(({ choices }) => choices[0]?.message.content)).toEqual(Array(40).fill('held'));
  });
});

test('every row of the table has a test', () => {
  expect(rows.map((line) => line.split('`')[1])).toEqual([
    'truncated stream',
    'error inside 200',
    'anyOf in a tool schema',
    'timeout of the header',
    '1302 with 40 calls at once',
  ]);
});
