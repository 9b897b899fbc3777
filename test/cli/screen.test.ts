// The output at each width: tables keep the most useful columns, and texts break between words.
import fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { Markdown } from '../../src/cli/terminal/markdown/markdown.ts';
import { progressLine } from '../../src/cli/terminal/progress.ts';
import { Screen } from '../../src/cli/terminal/screen.ts';
import { table } from '../../src/cli/terminal/table-text.ts';
import { plain, wantsColor } from '../../src/cli/terminal/terminal.ts';
import { momentText, shortWait, waitText } from '../../src/cli/terminal/time-text.ts';
import { widthOf } from '../../src/cli/terminal/width.ts';
import { wrapped } from '../../src/cli/terminal/wrap.ts';
import { newHome, run, withFake } from './support/in-process.ts';

const widths = [20, 40, 80, 200];

describe('a text for people', () => {
  test('breaks between words, loses none, and a word that is longer than the line stays whole', () => {
    const word = fc.stringMatching(/^[a-z/`.]{1,30}$/);
    fc.assert(
      fc.property(fc.array(word, { minLength: 1 }), fc.constantFrom(...widths), (words, width) => {
        const lines = wrapped(words.join(' '), width).split('\n');
        expect(lines.flatMap((line) => line.split(' '))).toEqual(words);
        for (const line of lines) expect(widthOf(line) <= width || !line.includes(' '), line).toBe(true);
      }),
    );
  });

  test.each(widths)('an error, its next step and a note at %d columns', async (columns) => {
    const { modelsvc } = await withFake();
    const pipe = await modelsvc(['chat', 'hi', '--modle', 'x']);
    const { stdout } = await run(['chat', 'hi', '--modle', 'x'], { columns, env: { HOME: await newHome(), NO_COLOR: '1' } });
    expect(stdout.split(/\s+/).join(' ')).toBe(pipe.stderr.split(/\s+/).join(' '));
    for (const line of stdout.split('\n')) expect(widthOf(line) <= columns || !line.includes(' '), line).toBe(true);
  });
});

describe('colors', () => {
  test.each<[env: Record<string, string>, pipe: boolean, terminal: boolean, windows?: boolean]>([
    [{}, false, false, true],
    [{ TERM: '' }, false, false, true],
    [{ TERM: 'dumb' }, false, false],
    [{ TERM: 'xterm' }, false, true],
    [{ TERM: 'xterm', NO_COLOR: '' }, false, true],
    [{ TERM: 'xterm', NO_COLOR: '1' }, false, false],
    [{ TERM: 'xterm', NO_COLOR: '0' }, false, false],
    [{ TERM: 'xterm', FORCE_COLOR: '' }, false, true],
    [{ TERM: 'xterm', FORCE_COLOR: '0' }, false, false],
    [{ TERM: 'xterm', FORCE_COLOR: 'false' }, false, false],
    [{ TERM: 'dumb', FORCE_COLOR: '0' }, false, false],
    [{ TERM: 'dumb', FORCE_COLOR: '1' }, true, true],
    [{ FORCE_COLOR: 'true' }, true, true],
    [{ FORCE_COLOR: '3' }, true, true],
    [{ FORCE_COLOR: '1', NO_COLOR: '1' }, false, false],
  ])('with %j: in a pipe %s, on a terminal %s', (env, pipe, terminal, windows = terminal) => {
    const colors = (isTTY: boolean, platform: NodeJS.Platform, when?: string) => wantsColor({ when, env, isTTY, platform });
    expect([colors(false, 'linux'), colors(true, 'linux'), colors(false, 'win32'), colors(true, 'win32')]).toEqual([pipe, terminal, pipe, windows]);
    expect([colors(false, 'linux', 'auto'), colors(false, 'linux', 'always'), colors(true, 'linux', 'never')]).toEqual([pipe, true, false]);
  });

  test.each([[['--help']], [['quota', '--help']], [['chat', '--modle']], [['quota']]])('%j: none with FORCE_COLOR=0', async (args) => {
    const { modelsvc } = await withFake();
    const shown = async (env: Record<string, string>) => (await modelsvc(args, { columns: 80, env })).stdout;
    expect(await shown({ TERM: 'xterm' })).toContain('\x1b[');
    for (const FORCE_COLOR of ['0', 'false']) expect(await shown({ TERM: 'xterm', FORCE_COLOR })).not.toContain('\x1b[');
    expect(await shown({})).not.toContain('\x1b[');
  });
});

test('a step that takes long shows its time, and one that goes on none', () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const shown: string[] = [];
  const stderr = { isTTY: true, columns: 80, write: (text: string) => shown.push(text) > 0 } as never;
  const last = (): string => shown.at(-1)?.replace('\r\x1b[2K', '') ?? '';
  const progress = progressLine(stderr, true);
  progress.show('waiting for the model');
  vi.advanceTimersByTime(1500);
  expect(last()).toBe('waiting for the model');
  vi.advanceTimersByTime(10_000);
  expect(last()).toBe('waiting for the model, 11 s');
  progress.show('reading');
  vi.advanceTimersByTime(500);
  expect(last()).toBe('reading');
  progress.show(() => 'counts');
  vi.advanceTimersByTime(70_000);
  expect(last()).toBe('counts');
  progress.done();
});

test.each([
  [{}, {}, true],
  [{ progress: false }, {}, false],
  [{ quiet: true }, {}, false],
  [{}, { CI: '1' }, false],
])('progress with %j and the variables %j: %s', (values, env, isShown) => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const shown: string[] = [];
  const stream = { isTTY: true, columns: 80, write: (text: string) => shown.push(text) > 0 } as never;
  const io = { stdin: process.stdin, stdout: stream, stderr: stream, env, argv: [] };
  const progress = new Screen(values, io, new AbortController(), 'text').progress();
  progress.show('waiting');
  vi.advanceTimersByTime(1500);
  progress.done();
  expect(shown.join('').includes('waiting')).toBe(isShown);
});

describe('a table', () => {
  const columns = ['ID', 'TIME', 'MODEL', 'COST', 'PROMPT'].map((title, at) => ({ title, isExtra: at > 0 && at < 4 }));
  const rows = [['mikx7f2pabc123', '2026-11-27 10:00', 'glm-5.3', '$0.0012', 'Why is the sky blue, and the sea green, and the night so dark to us?']];

  test.each([
    [200, ['ID', 'TIME', 'MODEL', 'COST', 'PROMPT']],
    [80, ['ID', 'TIME', 'MODEL', 'COST', 'PROMPT']],
    [60, ['ID', 'TIME', 'PROMPT']],
    [40, ['ID', 'PROMPT']],
    [20, ['ID']],
  ])('at %d columns has the most useful columns, each date and number complete', (width, shown) => {
    const { text, hidden } = table(columns, rows, plain, width);
    const [head = '', line = ''] = text.split('\n');
    expect(head.split(/ {2,}/)).toEqual(shown);
    expect(hidden).toEqual(columns.map(({ title }) => title).filter((title) => !shown.includes(title)));
    expect(Math.max(widthOf(head), widthOf(line))).toBeLessThanOrEqual(width);
    expect(line).not.toMatch(/2026-11-2?7?…/);
  });

  test.each(widths)('quota at %d columns has the share of each window', async (width) => {
    const { modelsvc } = await withFake();
    const pipe = (await modelsvc(['quota'])).stdout.match(/(?<=█.*░ +)\d+ %/g);
    const { fake } = await withFake();
    const env = { HOME: await newHome(), SVC_API_KEY: 'fake-id.fake-secret' };
    const { stdout } = await run(['quota', '--base-url', fake.url, '--color', 'never', '--no-progress'], { columns: width, env });
    expect(stdout.match(/^[a-z].* +\d+ %/gm)?.map((line) => /\d+ %/.exec(line)?.[0])).toEqual(pipe);
    for (const line of stdout.split('\n')) expect(widthOf(line) <= width || !line.trim().includes(' '), line).toBe(true);
  });

  test('of an answer that is too wide is printed as it came', () => {
    const source = '| `a` | **b** | c | d |\n|---|---|---|---|\n| `one` | **two** words | three | four |\n';
    const markdown = new Markdown(plain, () => 20);
    expect(markdown.push(source) + markdown.end()).toBe(source);
  });
});

describe('a time', () => {
  test.each([
    [500, '1 s', '1s'],
    [59_000, '59 s', '59s'],
    [90 * 60_000, '1 h 30 min', '1h30m'],
    [26 * 3_600_000, '1 d 2 h', '1d2h'],
  ])('of %i ms', (ms, long, short) => {
    expect([waitText(ms), shortWait(ms)]).toEqual([long, short]);
  });

  test('has the day only if it is another one', () => {
    const noon = new Date(2026, 7, 5, 12);
    expect(momentText(new Date(2026, 7, 5, 14, 5), noon)).toBe('14:05');
    expect(momentText(new Date(2026, 7, 6, 0, 5), noon)).toBe('Thu 00:05');
    expect(momentText(new Date(2026, 8, 6), noon)).toBe('2026-09-06');
  });
});
