// Numbers that README.md and the first screens of guides name, against the package. Programs of the pages are run by `fences.test.ts`.
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { oneService, programs, services } from '../../bench/bundles.mjs';
import { wholeFile } from '../../bench/download.mjs';
import { serviceFetch } from '../../src/fetch/index.ts';
import * as modelsvc from '../../src/overlay/index.ts';
import { newClient } from '../../src/overlay/index.ts';
import { type FakeService, fakeKey, faults } from '../../src/testing/index.ts';
import { test } from '../support/fixture.ts';
import { root, textOf } from './snippets.ts';

const words: readonly string[] = 'zero one two three four five six seven eight nine ten eleven twelve thirteen'.split(' ').concat('eighteen');
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
  it('groups beside the three surfaces', () => {
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
  it.each(sizes)('size of %s: at most that of the page, and near it', async (_, claim, program, platform) => {
    const [claimed, kibibytes] = [numberIn('README.md', claim), (await wholeFile(program, root, platform)) / 1024];
    expect(kibibytes).toBeLessThanOrEqual(claimed);
    expect(kibibytes).toBeGreaterThan(claimed - 6);
  });

  test('retries, and the longest Retry-After', async ({ fake }) => {
    const client = newClient({ ...fake.configFor({ retryDelay: 1 }) });
    const ask = () => client.chat().createSimple(undefined, 'glm-5.3', 'Hi');
    fake.fallback('chat.create', faults.error(429, '1302'));
    await expect(ask()).rejects.toThrow('1302');
    expect(fake.requests.length - 1).toBe(numberIn('README.md', /429, 5xx and network errors are retried (\w+) times/));
    fake.reset();
    const longest = numberIn('README.md', /`Retry-After` over (\d+) s/);
    fake.fallback('chat.create', { status: 429, headers: { 'retry-after': `${longest + 1}` }, body: { error: { code: '1302', message: 'busy' } } });
    await expect(ask()).rejects.toThrow('1302');
    expect(fake.requests).toHaveLength(1);
  });
});

describe('`openai` over serviceFetch has the first four rows', () => {
  const request = { model: 'glm-5.3', messages: [{ role: 'user' as const, content: 'Hi' }] };
  const parameters = { type: 'object', properties: { city: { anyOf: [{ type: 'string' }, { type: 'null' }] } } };
  const tools = [{ type: 'function' as const, function: { name: 'weather', parameters } }];
  type Chat = OpenAI['chat']['completions'];
  const rows: readonly [row: string, script: (fake: FakeService) => unknown, call: (chat: Chat) => Promise<unknown>, end: RegExp][] = [
    ['truncated stream', (fake) => fake.answer('chat.create', faults.truncatedStream()), streamed, /^StreamError/],
    ['error inside 200', (fake) => fake.answer('chat.create', faults.embeddedFailure(undefined, '1113')), (chat) => chat.create(request), /1113/],
    [
      'anyOf in a tool schema',
      (fake) => fake.chat.reply('Rain.'),
      async (chat) => (await chat.create({ ...request, tools })).choices[0]?.message.content,
      /^Rain\.$/,
    ],
    ['timeout of the header', (fake) => fake.fallback('chat.create', faults.silentBeforeHeaders()), (chat) => chat.create(request), /waited 100 ms/],
  ];
  async function streamed(chat: Chat): Promise<void> {
    for await (const _ of await chat.create({ ...request, stream: true }));
  }
  test.for(rows)('%s', async ([, script, call, end], { fake }) => {
    script(fake);
    const baseURL = fake.roots.platform;
    const chat = new OpenAI({ apiKey: fakeKey, baseURL, fetch: serviceFetch({ baseURL, timeout: 100 }) }).chat.completions;
    expect(await call(chat).catch(String)).toMatch(end);
    expect(fake.requests).toHaveLength(1);
  });
});

it('docs/guides/errors.md has the number of subclasses of ModelsvcError', () => {
  const classes = Object.values(modelsvc).filter((one) => typeof one === 'function' && one.prototype instanceof modelsvc.ModelsvcError);
  expect(numberIn('docs/guides/errors.md', /the (\w+) subclasses of `ModelsvcError`/)).toBe(classes.length);
});

function sourceOf(title: string): string {
  return programs.find((program) => program.title === title)?.sources['modelsvc'] ?? '';
}
