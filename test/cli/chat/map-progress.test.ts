import { join } from 'node:path';
import { fakeKey, faults } from 'modelsvc/testing';
import { describe, expect, it } from 'vitest';
import type { RowResult } from '../../../src/cli/bulk/results.ts';
import { Tally } from '../../../src/cli/commands/map/tally.ts';
import { withFake } from '../support/in-process.ts';
import { hasPty, openPty } from '../support/pty.ts';
import { withRows } from '../support/rows.ts';

const none = (): undefined => undefined;
const withUsage = (prompt_tokens: number, completion_tokens: number): RowResult => ({ ...row(0), usage: { prompt_tokens, completion_tokens } });
const row = (index: number, error?: object): RowResult => ({ index, hash: '', ...(error ? { error } : { output: '' }) });

describe('the line of a run', () => {
  it('has the part that is done, the rate, the time left, tokens and cost', () => {
    const tally = new Tally(1000, () => 0.123);
    tally.total = 500;
    tally.skipped = 100;
    for (let index = 0; index < 38; index++) tally.add(row(index));
    tally.add(withUsage(45_000, 900));
    tally.add(withUsage(600, 50));
    expect(tally.line(11_000)).toBe('140 of 500, 28 %, 4.0/s, 2 min left, 45.6k tokens in, 950 out, about $0.12');
  });

  it('has no total for rows that are not counted, and no rate before some results', () => {
    const tally = new Tally(0, none);
    expect(tally.line(5000)).toBe('0 done');
    for (let index = 0; index < 3; index++) tally.add(row(index));
    expect(tally.line(60_000)).toBe('3 done, 3.0/min');
  });

  it('has the next try instead of a line for each, while one waits', () => {
    const tally = new Tally(0, none);
    expect([tally.retry('1302', 2000, 0), tally.retry('1302', 500, 100), tally.retry('1305', 100, 100)]).toEqual([true, false, true]);
    expect(tally.line(1000)).toBe('0 done, next try in 1 s: 1305');
    expect(tally.line(2000)).toBe('0 done');
  });
});

it('a summary has the failures by reason, the most frequent first', () => {
  const tally = new Tally(0, none);
  const refused = (index: number): RowResult =>
    row(index, {
      message: `chat.stream: Blocked. (code 1301, request id-${index})`,
      operation: 'chat.stream',
      code: '1301',
      request_id: `id-${index}`,
    });
  tally.add({ ...withUsage(12_345, 6), error: { message: 'the row is not JSON' } });
  tally.add(refused(4));
  tally.add(refused(7));
  for (const reason of 'abcdef') tally.add(row(9, { message: reason.repeat(200) }));
  const long = (letter: string): string => `  1 × ${letter.repeat(99)}… (first: row 9)`;
  expect(tally.summary().split('\n')).toEqual([
    '0 answered, 9 failed; 12,345 tokens in, 6 out',
    '  2 × Blocked. (code 1301) (first: row 4)',
    '  1 × the row is not JSON (first: row 0)',
    long('a'),
    long('b'),
    long('c'),
    '  3 × other reasons',
  ]);
});

it.each([
  ['of one code', faults.error(429, '1302')],
  ['without a code, each with an id of its own', faults.emptyBody(500)],
])('in a pipe, retries for one reason are one line: failures %s', async (_kind, failure) => {
  const { fake, map } = await withRows(8);
  fake.answer('chat.create', ...Array.from({ length: 4 }, () => failure));
  const { stderr, code } = await map('--concurrency', '4', '--retries', '9');
  expect(code).toBe(0);
  expect(stderr.match(/retrying in/g)).toHaveLength(1);
  expect(stderr).toContain('8 answered, 0 failed');
});

it('after Ctrl-C, rows from stdin are named as what the command needs again', async () => {
  const { fake, modelsvc } = await withFake();
  const { stderr } = await modelsvc(['map', "it's {line}", '-O', 'out.jsonl'], {
    stdin: 'a\n',
    onStart: (child) =>
      fake.fallback('chat.create', () => {
        child.kill('SIGINT');
        return faults.silentBeforeHeaders();
      }),
  });
  expect(stderr).toContain(`Resume with the same rows on stdin: modelsvc map 'it'\\''s {line}' -O out.jsonl --base-url ${fake.url}\n`);
});

describe.runIf(hasPty)('on a terminal', () => {
  it('one line changes, and results of stdout are not on it', async () => {
    const { fake } = await withFake();
    const { cwd } = await withRows(5);
    fake.chat.reply('one').reply('two').reply('three');
    fake.fallback('chat.create', faults.silentBeforeHeaders());
    const args = ['map', 'T {line}', join(cwd, 'rows.txt'), '--concurrency', '1', '--base-url', fake.url];
    const terminal = await openPty(args, { env: { SVC_API_KEY: fakeKey } });
    await terminal.shows('3 of 5, 60 %');
    terminal.type('\x03');
    const { screen, code } = await terminal.ended;
    expect(code).toBe(130);
    expect(screen).toContain('"output":"three"');
    // Before a result, the line is removed.
    for (const before of screen.split('{"index"').slice(0, -1)) expect(/[\n\r]$|\[2K$|^$/.test(before)).toBe(true);
    expect(screen).toContain('3 answered, 0 failed. Pass -O FILE to make a run resumable.');
  });
});
