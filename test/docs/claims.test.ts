// Numbers that README.md and the first screens of guides name, against the package. Programs of the pages are run by `fences.test.ts`.
import { describe, expect, it } from 'vitest';
import { oneService, programs, services } from '../../bench/bundles.mjs';
import { wholeFile } from '../../bench/download.mjs';
import * as modelsvc from '../../src/overlay/index.ts';
import { newClient } from '../../src/overlay/index.ts';
import { faults } from '../../src/testing/index.ts';
import { test } from '../support/fixture.ts';
import { root, textOf } from './snippets.ts';

const words: readonly string[] = 'zero one two three four five six seven eight nine ten eleven twelve'.split(' ').concat('eighteen');
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

it('docs/guides/errors.md has the number of subclasses of ModelsvcError', () => {
  const classes = Object.values(modelsvc).filter((one) => typeof one === 'function' && one.prototype instanceof modelsvc.ModelsvcError);
  expect(numberIn('docs/guides/errors.md', /the (\w+) subclasses of `ModelsvcError`/)).toBe(classes.length);
});

function sourceOf(title: string): string {
  return programs.find((program) => program.title === title)?.sources['modelsvc'] ?? '';
}
