// The work before and under a lock: a file is planned once, and again only if it has changed.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { structuredPatch } from 'diff';
import { parseTree } from 'jsonc-parser';
import { parseTOML } from 'toml-eslint-parser';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { parseDocument } from 'yaml';
import { Cli } from '../../../src/cli/cli.ts';
import { apply } from '../../../src/cli/coding/apply.ts';
import { carryOut } from '../../../src/cli/coding/carry-out.ts';
import { CodingRecord } from '../../../src/cli/coding/record.ts';
import { Rehearsal } from '../../../src/cli/coding/rehearsal.ts';
import type { PartTask } from '../../../src/cli/coding/task.ts';
import { leaves } from '../../../src/cli/coding/tool.ts';
import type { GlobalValues } from '../../../src/cli/table/global-options.ts';

/** The real functions, with lists of their calls. */
vi.mock('jsonc-parser', { spy: true });
vi.mock('yaml', { spy: true });
vi.mock('toml-eslint-parser', { spy: true });
vi.mock('diff', { spy: true });

const { signal } = new AbortController();
const facts = { account: 'work', root: undefined, keyMode: 'env', version: '0' };
const before = `{"mine":[${'1,'.repeat(1000)}1]}`;

beforeEach(() => void vi.mocked(parseTree).mockClear());

/** Texts of the user's file that were read whole. */
function wholeReads(): number {
  return vi.mocked(parseTree).mock.calls.filter(([text]) => text.length >= before.length).length;
}

async function prepared(): Promise<{ readonly home: string; readonly file: string; readonly record: CodingRecord; readonly rehearsal: Rehearsal }> {
  const home = await mkdtemp(join(tmpdir(), 'modelsvc-rehearsal-'));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  const file = join(home, 'settings.json');
  await writeFile(file, before);
  const task = (part: string): PartTask => ({
    tool: 't',
    part,
    file,
    format: 'json',
    hasLock: true,
    changes: leaves(['ours', part], { a: 1, b: 2, c: 3 }),
    facts,
  });
  return { home, file, record: new CodingRecord(join(home, 'store'), signal), rehearsal: new Rehearsal([task('load'), task('mcp:x')]) };
}

describe('a file', () => {
  test('that stays the same is read by the preview, and not again by what is written after it', async () => {
    const { file, record, rehearsal } = await prepared();
    await rehearsal.all(await record.read());
    const reads = vi.mocked(parseTree).mock.calls.length;
    await apply(record, rehearsal, signal);
    expect(vi.mocked(parseTree).mock.calls.length).toBe(reads);
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ ours: { load: { a: 1 }, 'mcp:x': { c: 3 } } });
  });

  test('is verified once, however many parts and values are set in it', async () => {
    const { record, rehearsal } = await prepared();
    await rehearsal.all(await record.read());
    // At the beginning and at the end.
    expect(wholeReads()).toBe(2);
  });

  const list = `[${'1, '.repeat(1000)}1]`;
  test.each([
    ['yaml', parseDocument, `mine: ${list}\n`],
    ['toml', parseTOML, `mine = ${list}\n`],
  ] as const)('of %s is read at the beginning and at the end, however many values are set in it', async (format, reader, text) => {
    const { home, record } = await prepared();
    const file = join(home, `settings.${format}`);
    await writeFile(file, text);
    const changes = leaves(['ours', 'load'], { a: '1', b: '2', c: '3' });
    const rehearsal = new Rehearsal([{ tool: 't', part: 'load', file, format, hasLock: false, changes, facts }]);
    const [update] = await rehearsal.all(await record.read());
    expect(update?.after).toContain(text.trim());
    expect(vi.mocked(reader).mock.calls.filter(([read]) => String(read).length >= text.length)).toHaveLength(2);
  });

  test('that another program has changed since the preview is planned again', async () => {
    const { file, record, rehearsal } = await prepared();
    await rehearsal.all(await record.read());
    await writeFile(file, before.replace('mine', 'theirs'));
    await apply(record, rehearsal, signal);
    expect(wholeReads()).toBe(4);
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ theirs: expect.any(Array), ours: { load: { a: 1 }, 'mcp:x': { c: 3 } } });
  });

  test('whose record has changed since the preview is planned again', async () => {
    const { file, record, rehearsal } = await prepared();
    await rehearsal.all(await record.read());
    await apply(record, new Rehearsal(rehearsal.tasksOf(file)), signal);
    await writeFile(file, before);
    await apply(record, rehearsal, signal);
    expect((await record.read()).entries.map(({ part }) => part)).toEqual(['load', 'mcp:x']);
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ ours: { load: { a: 1 }, 'mcp:x': { c: 3 } } });
  });
});

test('a diff is computed only if it is shown', async () => {
  const { file, rehearsal, home } = await prepared();
  const io = { stdin: process.stdin, stdout: process.stdout, stderr: process.stderr, env: { SVC_CONFIG_DIR: join(home, 'store') }, argv: [] };
  const none = (): Promise<never> => Promise.reject(new Error('a preview needs neither client nor key'));
  const without = () => ({ client: none, credential: none, models: none });
  const views = (values: GlobalValues) => carryOut(new Cli(values, io, new AbortController(), without), rehearsal.tasksOf(file), 'Write?', []);
  expect((await views({ dryRun: 'text' })).map(({ diff }) => diff?.includes('+++'))).toEqual([false, true]);
  expect(structuredPatch).toHaveBeenCalledOnce();
  await views({ yes: true });
  expect(structuredPatch).toHaveBeenCalledOnce();
});
