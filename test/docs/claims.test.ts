// Claims of README.md: its numbers, the rows of other clients over our fetch, retries and bills. Programs of the pages are run by `fences.test.ts`.
import { readdirSync } from 'node:fs';
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { oneService, programs, services } from '../../bench/bundles.mjs';
import { wholeFile } from '../../bench/download.mjs';
import { serviceFetch } from '../../src/fetch/index.ts';
import * as modelsvc from '../../src/overlay/index.ts';
import { newClient } from '../../src/overlay/index.ts';
import { type FakeService, fakeKey, faults, refusedUrl } from '../../src/testing/index.ts';
import { stoppedClock, turns } from '../support/clock.ts';
import { failure } from '../support/failure.ts';
import { test } from '../support/fixture.ts';
import { ask, claim, question, quick } from './claim.ts';
import { root, textOf } from './snippets.ts';

const words: readonly string[] = 'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen'
  .split(' ')
  .concat('eighteen');
const values: Readonly<Record<string, number>> = { ...Object.fromEntries(words.map((word, value) => [word, value])), eighteen: 18 };

/** The number before these words of a page, which the page must have. */
function numberIn(file: string, claim: RegExp): number {
  const [, word = ''] = claim.exec(textOf(file)) ?? [];
  const number = values[word.toLowerCase()] ?? Number.parseFloat(word);
  if (Number.isNaN(number)) throw new Error(`${file} does not have the claim ${claim}`);
  return number;
}

interface Manifest {
  readonly dependencies: object;
  readonly engines: { readonly node: string };
}

const manifest = JSON.parse(textOf('package.json')) as Manifest;

describe('numbers of README.md', () => {
  it('groups other than the three surfaces', () => {
    expect(numberIn('README.md', /\[(\w+) more groups\]/)).toBe(services.length - 3);
  });

  it('dependencies, and the oldest Node', () => {
    expect(numberIn('README.md', /- (\w+) dependencies/)).toBe(Object.keys(manifest.dependencies).length);
    expect(`>=${numberIn('README.md', /- Node ([\d.]+) or later/)}`).toBe(manifest.engines.node);
  });

  const sizes: readonly [title: string, claim: RegExp, program: string, platform: 'browser' | 'node'][] = [
    ['chat in a page', /chat alone has at most (\d+) KiB/, oneService('Chat'), 'browser'],
    ['a client in a page', /client of `newClient` at most (\d+) KiB/, sourceOf('one chat call through newClient'), 'browser'],
    ['chat on Node', /they have at most (\d+) and/, oneService('Chat'), 'node'],
    ['a client on Node', /they have at most \d+ and (\d+) KiB/, sourceOf('one chat call through newClient'), 'node'],
  ];
  it.each(sizes)("size of %s: at most the page's, and near it", async (_, claim, program, platform) => {
    const [claimed, kibibytes] = [numberIn('README.md', claim), (await wholeFile(program, root, platform)) / 1024];
    expect(kibibytes).toBeLessThanOrEqual(claimed);
    expect(kibibytes).toBeGreaterThan(claimed - 6);
  });
});

describe('`openai` over serviceFetch has the first four rows', () => {
  const request = { model: 'glm-5.3', messages: [{ role: 'user' as const, content: 'Hi' }] };
  const parameters = { type: 'object', properties: { city: { anyOf: [{ type: 'string' }, { type: 'null' }] } } };
  const tools = [{ type: 'function' as const, function: { name: 'weather', parameters } }];
  type Chat = OpenAI['chat']['completions'];
  const rows: readonly [row: string, script: (fake: FakeService) => unknown, call: (chat: Chat) => Promise<unknown>, end: RegExp][] = [
    ['The stream is cut off', (fake) => fake.answer('chat.create', faults.truncatedStream()), streamed, /^StreamError/],
    [
      'An error inside HTTP 200',
      (fake) => fake.answer('chat.create', faults.embeddedFailure(undefined, '1113')),
      (chat) => chat.create(request),
      /1113/,
    ],
    [
      'A tool schema with anyOf',
      (fake) => fake.chat.reply('Rain.'),
      async (chat) => (await chat.create({ ...request, tools })).choices[0]?.message.content,
      /^Rain\.$/,
    ],
    [
      'No response header in time',
      (fake) => fake.fallback('chat.create', faults.silentBeforeHeaders()),
      (chat) => chat.create(request),
      /waited 2000 ms/,
    ],
  ];
  async function streamed(chat: Chat): Promise<void> {
    for await (const _ of await chat.create({ ...request, stream: true }));
  }
  test.for(rows)('%s', async ([, script, call, end], { fake }) => {
    script(fake);
    const baseURL = fake.roots.platform;
    const chat = new OpenAI({ apiKey: fakeKey, baseURL, fetch: serviceFetch({ baseURL, timeout: 2000 }) }).chat.completions;
    expect(await call(chat).catch(String)).toMatch(end);
    expect(fake.requests).toHaveLength(1);
  });
});

it('docs/guides/errors.md has the number of subclasses of ModelsvcError', () => {
  const classes = Object.values(modelsvc).filter((one) => typeof one === 'function' && one.prototype instanceof modelsvc.ModelsvcError);
  expect(numberIn('docs/guides/errors.md', /the (\w+) subclasses of `ModelsvcError`/)).toBe(classes.length);
});

const codes = (parse(textOf('spec/error-codes.yaml')) as { codes: { code: string; status: number | null; retry: string }[] }).codes;

/** Requests of a call that meets this answer whenever it asks. */
async function requestsAt(fake: FakeService, answer: Parameters<FakeService['fallback']>[1], config?: Partial<modelsvc.Config>): Promise<number> {
  fake.reset().fallback('chat.create', answer);
  await failure(ask(quick(fake, config)));
  return fake.requests.length;
}

claim('README.md', 'If it ends with `ECONNREFUSED`, the mock is not running', async () => {
  expect(String(await failure(ask(newClient({ apiKey: 'any', endpoints: await refusedUrl(), maxRetries: 0 }))))).toContain('ECONNREFUSED');
});

claim('README.md', 'the timeout of `serviceFetch` (300 s by default)', async () => {
  const clock = stoppedClock();
  let ended = false;
  const send = serviceFetch({
    httpClient: (_url, init) => new Promise((_, reject) => init?.signal?.addEventListener('abort', () => reject(init.signal?.reason))),
  });
  const call = send('https://api.z.ai/api/paas/v4/chat/completions', {
    method: 'POST',
    headers: { authorization: 'Bearer any' },
    body: JSON.stringify(question),
  }).finally(() => (ended = true));
  for (const [ms, isEnded] of [
    [299_000, false],
    [2000, true],
  ] as const) {
    await turns();
    clock.pass(ms);
    await turns();
    expect(ended).toBe(isEnded);
  }
  await call;
});

claim('README.md', '429, 5xx and network errors are retried three times.', async ({ fake }) => {
  for (const answer of [
    faults.error(429, '1302'),
    faults.error(500, '500'),
    faults.error(503, '503'),
    faults.htmlErrorPage(502),
    faults.resetBeforeHeaders(),
  ])
    expect([answer, await requestsAt(fake, answer)]).toEqual([answer, 4]);
});

claim('README.md', 'Codes that a retry cannot fix, and a `Retry-After` over 60 s, fail immediately.', async ({ fake }) => {
  for (const { code, status, retry } of codes)
    expect([code, await requestsAt(fake, faults.error(status ?? 429, code))]).toEqual([code, retry === 'yes' ? 4 : 1]);
  expect(await requestsAt(fake, faults.rateLimit({ seconds: 61 }))).toBe(1);
});

claim(
  'README.md',
  'A billed call is not retried after a timeout of the response header, or after part of its reply has arrived.',
  async ({ fake }) => {
    expect([await requestsAt(fake, faults.silentBeforeHeaders(), { timeout: 1000 }), await requestsAt(fake, faults.resetMidBody())]).toEqual([1, 1]);
  },
);

claim('README.md', 'set `maxRetries: 0` to rule out a second bill', async ({ fake }) => {
  expect(await requestsAt(fake, faults.resetBeforeHeaders(), { maxRetries: 0 })).toBe(1);
});

claim('README.md', 'Operations that no source confirms are labeled "Unconfirmed" in their doc comments', () => {
  const { claims: facts } = JSON.parse(textOf('docs/evidence.json')) as { claims: { id: string; evidence: string }[] };
  const names = facts.filter(({ id, evidence }) => id.startsWith('operation:') && evidence === 'unconfirmed').map(({ id }) => id.slice(10));
  const sources = readdirSync(`${root}src/overlay/services`).map((file) => textOf(`src/overlay/services/${file}`));
  const comments = (name: string) =>
    sources.flatMap((text) =>
      [...text.matchAll(new RegExp(`/\\*\\*((?:(?!\\*/)[\\s\\S])*)\\*/\\s+(?:async )?${name}[<(]`, 'g'))].map(([, comment = '']) => comment),
    );
  expect(names.length).toBeGreaterThan(2);
  expect(names.filter((id) => !comments(id.split('.')[1] ?? '').some((comment) => comment.includes('Unconfirmed')))).toEqual([]);
});

function sourceOf(title: string): string {
  return programs.find((program) => program.title === title)?.sources['modelsvc'] ?? '';
}
