import { appendFile, readdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { factsOf, type LogEntry, lineOf } from '../../../src/cli/log/entry.ts';
import { excerpt, type Filter, LogReader } from '../../../src/cli/log/reader.ts';
import { removeLines } from '../../../src/cli/log/segments.ts';
import { entry, newLog } from './support.ts';

const prompts = (folder: string, filter: Filter = {}): string[] =>
  [...new LogReader(folder).entries(filter, 'newest first')].map(({ text }) => text.prompt);
const signal = new AbortController().signal;
const removeIds = (folder: string, ...ids: readonly string[]): Promise<void> =>
  removeLines(folder, signal, (line) => ids.includes(factsOf(line)?.id ?? ''));

describe('a search', () => {
  const texts = [
    'The QUICK fox',
    'Größe und Maß',
    'say "hi" \\ twice',
    'first\nsecond line',
    'rocket 🚀 start',
    'ΣΊΣΥΦΟΣ',
    'cost in $ (a+b)?',
    'the model, by "id": chat',
    '{"v":1} ,"text":{ x',
    'un caf\u00e9',
    'un the\u0301',
  ];
  it.each([
    [['quick'], [0]],
    [['QuIcK', 'FOX'], [0]],
    [['quick', 'wolf'], []],
    [['GRÖSSE'], []],
    [['GRÖßE'], [1]],
    [['maß'], [1]],
    [['"hi" \\'], [2]],
    [['first\nsec'], [3]],
    [['ocket 🚀'], [4]],
    [['σίσυφος'], [5]],
    [['$ (A+B)?'], [6]],
    [['a.b'], []],
    [['id": chat'], [7]],
    [[',"text":{ X'], [8]],
    [['"v":1'], [8]],
    ...['caf\u00e9', 'CAFE\u0301', 'Caf\u00c9'].map((word): [string[], number[]] => [[word], [9]]),
    ...['th\u00e9', 'the\u0301', 'TH\u00c9'].map((word): [string[], number[]] => [[word], [10]]),
  ])('for %j finds it in any case, in a part of a word, and as it was typed', async (words, found) => {
    const folder = await newLog(...texts.map((prompt) => entry({}, { prompt })));
    expect(prompts(folder, { words })).toEqual(found.map((at) => texts[at]));
  });

  it.each(['prompt', 'answer', 'mod', 'usage', 'glm-5.3', 'mood', 'tokens', 'chat', '2026', 'files', 'photo', 'reason', '"'])(
    'for %j finds no names of fields, no facts, no names of files and no reasoning',
    async (word) => {
      const texts = { files: [{ kind: 'image', name: 'photo.jpg', sha256: 'a' }], reasoning: 'a reason' };
      const folder = await newLog(entry({ model: 'glm-5.3', usage: { prompt_tokens: 1, mood: 'usage' } }, texts));
      expect(prompts(folder, { words: [word] })).toEqual([]);
    },
  );

  it('looks into prompts, answers and system prompts, each word for itself', async () => {
    const folder = await newLog(entry({}, { system: 'be brief', prompt: 'one', answer: 'two' }));
    expect(prompts(folder, { words: ['brief', 'one', 'two'] })).toEqual(['one']);
    expect(prompts(folder, { words: ['one two'] })).toEqual([]);
  });

  it('finds each entry of many blocks once, the newest first, whatever their sizes', async () => {
    const sizes = Array.from({ length: 300 }, (_, at) => (at % 50 === 7 ? 300_000 : (at * 7919) % 5000));
    const entries = sizes.map((size, at) => entry({}, { prompt: `${at}`, answer: `${'x'.repeat(size)} needle ${'y'.repeat(size % 97)}` }));
    const folder = await newLog(...entries);
    const newestFirst = entries.map(({ text }) => text.prompt).reverse();
    expect(prompts(folder, { words: ['needle'] })).toEqual(newestFirst);
    expect(prompts(folder)).toEqual(newestFirst);
    const oldestFirst = [...new LogReader(folder).entries({}, 'oldest first')].map(({ id }) => id);
    expect(oldestFirst).toEqual(entries.map(({ id }) => id));
  });
});

describe('a filter', () => {
  const entries: LogEntry[] = [
    entry({ time: '2026-09-30T23:59:59.999Z', model: 'glm-4.6', conversation: 'c1' }, { prompt: 'a' }),
    entry({ time: '2026-10-01T00:00:00.000Z', command: 'map' }, { prompt: 'b' }),
    entry({ time: '2026-11-15T12:00:00.000Z', conversation: 'c1' }, { prompt: 'c' }),
    entry({ time: '2026-11-16T12:00:00.000Z', conversation: 'c2' }, { prompt: 'd' }),
  ];
  it.each([
    [{}, 'dcba'],
    [{ model: 'glm-4.6' }, 'a'],
    [{ command: 'map' }, 'b'],
    [{ conversation: 'c1' }, 'ca'],
    [{ conversation: 'c1', model: 'glm-5.3' }, 'c'],
    [{ since: new Date('2026-10-01T00:00:00Z') }, 'dcb'],
    [{ until: new Date('2026-10-01T00:00:00Z') }, 'ba'],
    [{ since: new Date('2026-10-02T00:00:00Z'), until: new Date('2026-11-15T12:00:00Z') }, 'c'],
    [{ id: entries[1]?.id }, 'b'],
    [{ id: 'c1' }, ''],
  ])('%j chooses by the facts', async (filter, found) => {
    expect(prompts(await newLog(...entries), filter).join('')).toBe(found);
  });
});

describe('a line', () => {
  it('that was cut off does not spoil the next one', async () => {
    const [first, cut, next] = [entry({}, { prompt: 'first' }), entry(), entry({}, { prompt: 'next' })];
    const folder = await newLog(first);
    await appendFile(join(folder, '2026-11.jsonl'), lineOf(cut).slice(0, -20));
    await appendFile(join(folder, '2026-11.jsonl'), lineOf(next));
    expect(prompts(folder)).toEqual(['next', 'first']);
    expect(prompts(folder, { words: ['sky'] })).toEqual([]);
    await removeIds(folder, first.id);
    expect(prompts(folder)).toEqual(['next']);
    const [name = ''] = await readdir(folder);
    expect(await readFile(join(folder, name), 'utf8')).toBe(lineOf(next).slice(1));
  });

  it.each([
    ['another program', '{"v":"x","id":1}'],
    ['no object', 'null'],
    ['no JSON', 'hello'],
    ['an entry without texts', '{"v":1,"id":"a","time":"2026-11-01","command":"chat","model":"m"}'],
  ])('of %s is left out', async (_, line) => {
    const folder = await newLog(entry({}, { prompt: 'kept' }));
    await appendFile(join(folder, '2026-11.jsonl'), `${line}\n`);
    expect(prompts(folder)).toEqual(['kept']);
  });

  it.each(['{"v":2,"id":"n","time":"2026-11-03T00:00:00.000Z","turns":[]}', '{"v":7}'])(
    'of a newer version is counted, and kept: %s',
    async (line) => {
      const old = entry();
      const folder = await newLog(old);
      await appendFile(join(folder, '2026-11.jsonl'), `\n${line}\n`);
      const reader = new LogReader(folder);
      expect([...reader.entries({}, 'newest first')]).toEqual([old]);
      expect(reader.newer).toBe(1);
      await removeIds(folder, old.id);
      const [name = ''] = await readdir(folder);
      expect(await readFile(join(folder, name), 'utf8')).toBe(`${line}\n`);
    },
  );

  it('that was written twice, because its file was renamed, is read once', async () => {
    const [one, two] = [entry({}, { prompt: 'one' }), entry({}, { prompt: 'two' })];
    const folder = await newLog(one, two);
    await rename(join(folder, '2026-11.jsonl'), join(folder, '2026-11.abc.jsonl'));
    await appendFile(join(folder, '2026-11.jsonl'), lineOf(two) + lineOf(entry({}, { prompt: 'three' })));
    expect(prompts(folder)).toEqual(['three', 'two', 'one']);
  });
});

it('a removal rewrites only the files that have the entries, and deletes those that become empty', async () => {
  const entries = ['2026-09', '2026-10', '2026-11', '2026-11'].map((month, at) => entry({ time: `${month}-02T10:00:00.000Z` }, { prompt: `${at}` }));
  const folder = await newLog(...entries);
  await removeIds(folder, entries[0]?.id ?? '', entries[2]?.id ?? '');
  expect(prompts(folder)).toEqual(['3', '1']);
  expect(await readdir(folder)).toEqual(['2026-10.jsonl', expect.stringMatching(/^2026-11\.[0-9a-z]{14}\.jsonl$/)]);
  await removeIds(folder, entries[3]?.id ?? '');
  expect(await readdir(folder)).toEqual(['2026-10.jsonl']);
});

describe('an excerpt', () => {
  it.each([
    ['short\n text', [], 'short text'],
    ['a'.repeat(80), [], `${'a'.repeat(20)}…`],
    [`${'a'.repeat(80)} Needle ${'b'.repeat(80)}`, ['needle'], `…${'a'.repeat(4)} Needle ${'b'.repeat(8)}…`],
    ['no word', ['needle'], undefined],
    ['🚀'.repeat(30), [], `${'🚀'.repeat(20)}…`],
  ])('of %j with %j is one line around the word', (text, words, expected) => {
    expect(excerpt(text, words, 20)).toBe(expected);
  });
});
