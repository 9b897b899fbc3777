// `map` over a CSV or TSV.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { records } from '../../../src/cli/bulk/csv.ts';
import { linesOf } from '../../../src/cli/files/lines.ts';
import { newHome, withFake } from '../support/in-process.ts';
import { parsed, prompts } from '../support/rows.ts';

const greet = ['map', 'Greet {name} of {city}', '--ordered', '--concurrency', '1'];
const asked = ['Greet Ann of Paris', 'Greet Bob of Rome, Italy'];

async function withFile(name: string, text: string) {
  const { fake, modelsvc } = await withFake();
  const cwd = await newHome();
  await writeFile(join(cwd, name), text);
  return { fake, cwd, map: (args: readonly string[], stdin = '') => modelsvc(args, { cwd, stdin }) };
}

describe.each<[string, string, string]>([
  ['a CSV', 'rows.csv', 'name,city\nAnn,Paris\nBob,"Rome, Italy"\n'],
  ['a TSV', 'rows.tsv', 'name\tcity\nAnn\tParis\nBob\tRome, Italy\n'],
  ['a mark and CRLF', 'rows.CSV', '\ufeffname,city\r\nAnn,Paris\r\nBob,"Rome, Italy"\r\n'],
  ['semicolons, and commas in quotes', 'rows.csv', 'name;city;"a, b"\nAnn;Paris;\nBob;Rome, Italy;'],
  ['semicolons', 'rows.csv', 'name;city\nAnn;Paris\nBob;Rome, Italy'],
  ['another order, blanks in the header, more columns and empty lines', 'rows.csv', 'x, city ,name\n\n1,Paris,Ann\n,"Rome, Italy","Bob"\n\n'],
])('%s', (_, file, text) => {
  it.each([
    ['by its name', [file], false],
    ['from stdin with --csv', ['--csv'], true],
    ['from - with --csv', ['-', '--csv'], true],
  ])('%s fills columns, and the index counts records', async (_way, args, isPiped) => {
    const { fake, map } = await withFile(file, text);
    const { stdout, code } = await map([...greet, ...args], isPiped ? text : '');
    expect({ code, asked: prompts(fake) }).toEqual({ code: 0, asked });
    expect(parsed(stdout).map(({ index }) => index)).toEqual([0, 1]);
  });

  it('with {line} alone stays lines', async () => {
    const { fake, map } = await withFile(file, text);
    await map(['map', 'T {line}', file, '--ordered', '--concurrency', '1']);
    const lines = text.replace('\ufeff', '').split(/\r?\n/).filter(Boolean);
    expect(prompts(fake)).toEqual(lines.map((line) => `T ${line}`));
  });
});

it('values are texts, with their line ends, quotes and blanks', async () => {
  const { fake, map } = await withFile('rows.csv', 'name,city\n"Ann\r\n""the"" one", 007\n5" disk,true\n');
  expect((await map([...greet, 'rows.csv'])).code).toBe(0);
  expect(prompts(fake)).toEqual(['Greet Ann\r\n"the" one of  007', 'Greet 5" disk of true']);
});

it.each<[string, string, RegExp]>([
  ['no header', '', /^modelsvc: (rows\.csv|stdin) has no header$/],
  ['a doubled column', 'name,city,name\nAnn,Paris,x\n', /^modelsvc: \S+ line 1 has the column "name" twice$/],
  ['a column without a name', 'name,,city\nAnn,,Paris\n', /^modelsvc: \S+ line 1: column 2 has no name$/],
  ['a missing column', '\nname,cty\nAnn,Paris\n', /^modelsvc: \S+ line 2 has no column \{city\}; did you mean \{cty\}\?$/],
  ['a short row', 'name,city\nAnn,Paris\n"Bob\nB"\n', /^modelsvc: \S+ line 3 has 1 field; the header has 2$/],
  ['a long row', 'name,city\nAnn,Paris,x\n', /^modelsvc: \S+ line 2 has 3 fields; the header has 2$/],
  ['an open quote', 'name,city\nAnn,Paris\n"Bob,Rome\nEve,Oslo\n', /^modelsvc: \S+ line 3 opens a quote that is not closed$/],
  ['text after a quote', 'name,city\n"Ann" B,Paris\n', /^modelsvc: \S+ line 2 has text after a closing quote$/],
])('%s is refused with the line before the first call, by name and from stdin', async (_, text, problem) => {
  const { fake, map } = await withFile('rows.csv', text);
  for (const [args, stdin] of [
    [['rows.csv'], ''],
    [['--csv'], text],
    [['rows.csv', '-O', 'out.jsonl'], ''],
  ] as const) {
    const { stdout, stderr, code } = await map([...greet, ...args], stdin);
    expect({ stdout, code, requests: fake.requests.length }).toEqual({ stdout: '', code: 2, requests: 0 });
    expect(stderr.split('\n')[0]).toMatch(problem);
  }
});

it('--csv without a column in the template is refused', async () => {
  const { fake, map } = await withFile('rows.csv', 'name\nAnn\n');
  expect(await map(['map', 'T {line}', 'rows.csv', '--csv'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('names no column') as string,
  });
  expect(fake.requests).toEqual([]);
});

it('a file of -O is continued by the same table, and refused if it was made from lines', async () => {
  const { fake, cwd, map } = await withFile('rows.csv', 'name,city\nAnn,Paris\nBob,Rome\n');
  const table = ['map', '{name} of {city}', 'rows.csv', '-O', 'table.jsonl'];
  expect((await map(table)).code).toBe(0);
  await writeFile(join(cwd, 'table.jsonl'), `${(await readFile(join(cwd, 'table.jsonl'), 'utf8')).split('\n', 1)[0]}\n`);
  expect((await map(table)).code).toBe(0);
  expect(fake.requests).toHaveLength(3);
  await map(['map', '{line}', 'rows.csv', '-O', 'lines.jsonl']);
  // Without the result of the first row, only a later one shows it.
  const [, ...others] = (await readFile(join(cwd, 'lines.jsonl'), 'utf8')).split('\n').sort().filter(Boolean);
  await writeFile(join(cwd, 'lines.jsonl'), others.map((line) => `${line}\n`).join(''));
  const before = fake.requests.length;
  expect(await map(['map', '{name} of {city}', 'rows.csv', '-O', 'lines.jsonl'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('has the result of another question for row 1') as string,
  });
  expect(fake.requests).toHaveLength(before);
});

test('a written table is read as it was, at whatever places its bytes are split', async () => {
  const cell = fc.string({ unit: fc.constantFrom('a', ' ', ',', ';', '\t', '"', '\r', '\n', '\r\n', 'é', '😀', "'") });
  const table = fc.integer({ min: 1, max: 4 }).chain((width) => fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 1 }));
  const way = fc.record({
    separator: fc.constantFrom(',', '\t'),
    end: fc.constantFrom('\n', '\r\n'),
    isEnded: fc.boolean(),
    step: fc.integer({ min: 1, max: 20 }),
  });
  await fc.assert(
    fc.asyncProperty(table, way, async (rows, { separator, end, isEnded, step }) => {
      // A line of one empty field without quotes is an empty line.
      const written = (value: string, _: number, row: readonly string[]): string =>
        row.length === 1 || /["\r\n]/.test(value) || value.includes(separator) ? `"${value.replaceAll('"', '""')}"` : value;
      const header = rows[0]?.map((_, at) => `h${at}`) ?? [];
      const lines = [header, ...rows].map((row) => row.map(written).join(separator));
      const bytes = Buffer.from(lines.join(end) + (isEnded ? end : ''));
      const blocks = async function* () {
        for (let at = 0; at < bytes.length; at += step) yield bytes.subarray(at, at + step);
      };
      const place = separator === '\t' ? 'a.tsv' : 'a.csv';
      const read: string[][] = [];
      for await (const { fields } of records(linesOf(blocks(), { place, strict: true }), place)) read.push(fields);
      expect(read).toEqual([header, ...rows]);
    }),
  );
});
