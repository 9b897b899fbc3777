// `map` with a budget, and after a lost write.
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { FakeService } from 'modelsvc/testing';
import { describe, expect, it } from 'vitest';
import { type Ended, ends, newHome, type RunOptions, withFake } from '../support/in-process.ts';

interface Bench {
  readonly fake: FakeService;
  readonly cwd: string;
  run(options?: RunOptions, ...more: readonly string[]): Promise<Ended>;
  rows(count: number): Promise<void>;
  models(yaml: string): Promise<void>;
  count(operation: string): number;
  /** Lines of the results. */
  results(): Promise<string[]>;
}

async function bench(rows: number): Promise<Bench> {
  const { fake, modelsvc } = await withFake();
  const cwd = await newHome();
  const put = async (path: string, text: string): Promise<void> => {
    await mkdir(dirname(join(cwd, path)), { recursive: true });
    await writeFile(join(cwd, path), text);
  };
  const made: Bench = {
    fake,
    cwd,
    run: (options = {}, ...more) =>
      modelsvc(['map', 'T {line}', 'rows', '-m', 'glm-5.1', '--concurrency', '1', '-O', 'out.jsonl', ...more], {
        ...options,
        cwd,
        env: { HOME: cwd, ...options.env },
      }),
    rows: (count) => put('rows', Array.from({ length: count }, (_, row) => `row ${row}\n`).join('')),
    models: (yaml) => put('.config/modelsvc/models.yaml', yaml === '' ? '' : `models:\n${yaml}`),
    count: (name) => fake.requests.filter(({ operation }) => operation === name).length,
    results: async () => (await readFile(join(cwd, 'out.jsonl'), 'utf8')).split('\n').filter(Boolean),
  };
  await made.rows(rows);
  return made;
}

const priced = '- id: glm-5.1\n  price: { input: 1, output: 2 }\n';

describe('map with --budget', () => {
  it.each([
    ['tokens', '1tokens', '1000000tokens', ''],
    ['usd', '0.000000001', '5', priced],
  ])('%s: ends when it is used up, keeps every answered row, and a run with more goes on', async (_unit, little, much, yaml) => {
    const { fake, run, models, count, results } = await bench(6);
    await models(yaml);
    const first = await run({}, '--budget', little);
    expect({ code: first.code, stderr: first.stderr }).toMatchObject(ends(5, 'budget used up: '));
    expect(first.stderr).toMatch(/Resume with: modelsvc .*--budget /);
    expect([count('chat.create'), fake.requests.filter(({ outcome }) => outcome !== 'answered')]).toEqual([1, []]);
    const second = await run({}, '--budget', much);
    expect([second.code, count('chat.create')]).toEqual([0, 6]);
    expect(await results()).toHaveLength(6);
  });

  it.each(['0', '0tokens'])('%s: refused before a request, as JSON with its kind', async (budget) => {
    const { fake, run, models, cwd } = await bench(2);
    await models('- id: glm-5.1\n  price: { input: 1, output: 2 }\n');
    const { stderr, stdout, code } = await run({}, '--budget', budget, '--json', '-q');
    expect([code, fake.requests.length]).toEqual([5, 0]);
    expect(JSON.parse(stderr || stdout)).toMatchObject({ error: { kind: 'budget', spent: 0, limit: 0, billed: 'no' } });
    expect(await readdir(cwd)).not.toContain('out.jsonl.state');
  });

  it.each(['five', '-1', '1e9', 'NaN', ''])('%j is not an amount', async (budget) => {
    const { fake, run } = await bench(2);
    expect([(await run({}, `--budget=${budget}`)).code, fake.requests.length]).toEqual([2, 0]);
  });
});

describe('map after a lost write', () => {
  const zeros = '\0'.repeat(5000);
  it.each([
    ['a line without its end', (text: string) => text.slice(0, -1), 4],
    ['a cut line', (text: string) => text.slice(0, -2), 3],
    ['the beginning of a line', (text: string) => `${text}{"in`, 4],
    ['zeros after the last line', (text: string) => text + zeros, 4],
    ['one zero', (text: string) => `${text}\0`, 4],
    ['a cut line, then zeros', (text: string) => text.slice(0, -9) + zeros, 3],
    ['a line without its end, then zeros', (text: string) => text.slice(0, -1) + zeros, 4],
    ['zeros in place of a line', (text: string) => text.slice(0, text.lastIndexOf('\n', text.length - 2) + 1) + zeros, 3],
    ['only zeros', () => zeros, 0],
  ])('%s: the tail is dropped, and every row is there once', async (_tail, spoiled, kept) => {
    const { run, rows, cwd, results } = await bench(4);
    expect((await run()).code).toBe(0);
    const out = join(cwd, 'out.jsonl');
    await writeFile(out, spoiled(await readFile(out, 'utf8')));
    await rows(5);
    expect(await run()).toMatchObject(ends(0, `${kept > 0 ? `, ${kept} there already` : ' 0 failed;'}`));
    expect((await results()).map((line) => (JSON.parse(line) as { index: number }).index).sort()).toEqual([0, 1, 2, 3, 4]);
  });

  it.each([
    ['between two lines', (text: string) => text.replace('\n', `\n${zeros}\n`)],
    ['inside a line', (text: string) => text.replace(/"hash":"..../, `"hash":"${zeros}`)],
    ['at the beginning', (text: string) => zeros + text],
    ['before a line feed', (text: string) => text.replace('\n', `${zeros}\n`)],
    ['at the end, and a line feed', (text: string) => `${text}${zeros}\n`],
  ])('zeros %s are an error, and the file stays', async (_place, spoiled) => {
    const { fake, run, cwd } = await bench(4);
    await run();
    const before = fake.requests.length;
    const text = spoiled(await readFile(join(cwd, 'out.jsonl'), 'utf8'));
    await writeFile(join(cwd, 'out.jsonl'), text);
    const { code, stderr } = await run();
    expect([code, fake.requests.length]).toEqual([2, before]);
    expect(stderr).toMatch(/-O: line \d of out\.jsonl is not a result of map\n/);
    expect(await readFile(join(cwd, 'out.jsonl'), 'utf8')).toBe(text);
  });

  it('a row that was taken away keeps its result, and is named; a cut answer does not count, also if it is JSON', async () => {
    const { fake, run, rows, results } = await bench(2);
    fake.fallback('chat.create', ({ body }) => ({
      turn: { text: '{"a":1}', ...(JSON.stringify(body).includes('row 1') && { finish: 'length' as const }) },
    }));
    const first = await run({}, '--schema', 'a int');
    expect([first.code, first.stderr]).toEqual([8, expect.stringContaining('1 answered, 1 failed; ')]);
    expect((await results()).map((line) => JSON.parse(line) as object)).toContainEqual(
      expect.objectContaining({ index: 1, answer: '{"a":1}', error: expect.objectContaining({ reason: 'length' }) as object }),
    );
    fake.fallback('chat.create', { turn: { text: '{"a":2}' } });
    expect((await run({}, '--schema', 'a int')).code).toBe(0);
    await rows(1);
    const shorter = await run({}, '--schema', 'a int');
    expect([shorter.code, shorter.stderr]).toEqual([
      0,
      expect.stringContaining('out.jsonl has results of 1 row that the input lacks; to drop them, start over with --force\n'),
    ]);
    expect(await results()).toHaveLength(2);
    await rows(2);
    expect((await run({}, '--schema', 'a int')).stderr).not.toContain('lacks');
  });
});
