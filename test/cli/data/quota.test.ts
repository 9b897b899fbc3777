import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Answer, fakeKey, faults } from 'modelsvc/testing';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { newUser } from '../accounts/support/shell.ts';
import { ends, newHome, withFake } from '../support/in-process.ts';
import { hasPty, runInPty } from '../support/pty.ts';

function limits(...percentages: number[]): { body: object } {
  return {
    body: {
      code: 200,
      success: true,
      data: { level: 'pro', limits: percentages.map((percentage) => ({ type: 'TOKENS_LIMIT', unit: 3, number: 5, percentage })) },
    },
  };
}

/** The status line names the peak hours while they last. */
const offPeak = (text: string): string => text.replace(/ \| peak \d+x$/gm, '');

describe('quota', () => {
  it('shows the windows in a pipe without colors', async () => {
    const { modelsvc } = await withFake();
    const { stdout, code } = await modelsvc(['quota']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Plan: pro$/m);
    expect(stdout).toMatch(/^five-hour +█+░+ +12 %/m);
    expect(stdout).not.toContain('\x1b');
  });

  it('has the share, the count, the reset and the pace of each window, aligned for names of any width and without control characters', async () => {
    const { fake, modelsvc } = await withFake();
    // A Wednesday, 10:00 on the service's clock.
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-08-05T02:00:00Z') });
    onTestFinished(() => void vi.useRealTimers());
    const inMinutes = (minutes: number): number => Date.now() + minutes * 60_000;
    const windows = [
      { type: 'TOKENS_LIMIT', unit: 3, number: 5, percentage: 80, nextResetTime: inMinutes(150) },
      { type: 'TOKENS_LIMIT', unit: 6, number: 1, percentage: 100, nextResetTime: inMinutes(3 * 1440 + 240) },
      // The count is more exact than the percentage.
      { type: 'TIME_LIMIT', unit: 5, number: 1, usage: 1000, currentValue: 119, percentage: 12, nextResetTime: inMinutes(20 * 1440) },
      { type: 'TOKENS_LIMIT', unit: 4, number: 1, percentage: 0 },
      { type: '限\x1b[2J制', percentage: 12 },
    ];
    fake.fallback('quota.getLimit', { body: { code: 200, success: true, data: { level: 'p\x1b[2Jro', limits: windows } } });
    const { stdout } = await modelsvc(['quota']);
    for (const line of [
      /^Plan: pro$/m,
      /^five-hour +█{16}░{4} +80 % +in 2 h 30 min \(.+\) +runs out in 38 min, 1 h 53 min early$/m,
      /^weekly +█{20} +100 % +in 3 d 4 h \(.+\) +used up$/m,
      /^monthly-tools +█{2}░{18} +11 % +119 of 1000 +in 20 d 0 h \(.+\) +36 % at the end$/m,
      /^tokens-1-day +░{20} +0 % +idle$/m,
      /^Off-peak: .* Peak hours begin in 4 h 0 min/m,
    ])
      expect(stdout).toMatch(line);
    const [weekly = '', foreign = ''] = stdout.split('\n').filter((one) => /^(weekly|限制)/.test(one));
    expect(foreign.indexOf('█') + '限制'.length).toBe(weekly.indexOf('█'));
    expect(offPeak((await modelsvc(['quota', '--format', 'statusline'])).stdout)).toMatch(/^pro 5h 80% 2h30m \| week 100% 3d4h \| tools 11% 20d0h/);
  });

  it('has colors with --color always, and none with NO_COLOR', async () => {
    const { modelsvc } = await withFake();
    expect((await modelsvc(['quota', 'show', '--color', 'always'])).stdout).toContain('\x1b[32m█');
    const { stdout } = await modelsvc(['quota', '--format', 'statusline'], { env: { NO_COLOR: '1' } });
    expect(offPeak(stdout)).toBe('pro 5h 12% | week 40% | tools 3%\n');
  });

  it('of a V3 plan has the same windows, with the counts of credits', async () => {
    const { fake, modelsvc } = await withFake();
    fake.fallback('quota.getLimit', { example: 'credits' });
    expect((await modelsvc(['quota', '--format', 'statusline'])).stdout).toMatch(/^pro 5h 12%.* \| week 15%/);
    const { stdout } = await modelsvc(['quota', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({
      windows: [
        { name: 'five-hour', used_percent: 12.5 },
        { name: 'weekly', used_percent: 15.2 },
      ],
    });
    expect((JSON.parse(stdout) as { peak: { multiplier: number } }).peak.multiplier).toBeLessThanOrEqual(1);
    expect((await modelsvc(['quota'])).stdout).toMatch(/^(Peak hours: credits count in full for|Off-peak: credits count half\.)/m);
  });

  it('as JSON is the object of the service with named windows', async () => {
    const { modelsvc } = await withFake();
    const { stdout } = await modelsvc(['quota', '--json']);
    const value = JSON.parse(stdout) as Record<string, unknown>;
    expect(value).toMatchObject({
      level: 'pro',
      limits: expect.arrayContaining([expect.objectContaining({ type: 'TIME_LIMIT', currentValue: 31 })]),
    });
    expect(value['windows']).toContainEqual(expect.objectContaining({ name: 'monthly-tools', used_percent: 3.1, exhausted: false }));
    expect(value['peak']).toMatchObject({ now: expect.any(Boolean), multiplier: expect.any(Number) });
  });

  it.each([
    [['quota', '--check', '40'], 10],
    [['quota', 'show', '--check', '40'], 10],
    [['quota', '--check', '41'], 0],
    [['quota', '--check', '101'], 2],
  ])('%j exits with %i', async (args, code) => {
    const { modelsvc } = await withFake();
    expect(await modelsvc([...args, '-q'])).toMatchObject({ code });
  });

  it('--watch prints one line of JSON a poll, survives a failed poll, and ends at --check with 10', async () => {
    const { fake, modelsvc } = await withFake();
    fake.answer('quota.getLimit', limits(1), faults.error(500, '500', 'busy'), limits(50));
    const { stdout, stderr, code } = await modelsvc(['quota', '--watch=1s', '--json', '--check', '50', '--retries', '0']);
    expect(code).toBe(10);
    const lines = stdout.trimEnd().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { windows: { used_percent: number }[] }).windows[0]?.used_percent)).toEqual([1, 50]);
    expect(stderr).toContain('busy');
  });

  it('--watch ends at Ctrl-C with 130', async () => {
    const { modelsvc } = await withFake();
    const { stdout, code } = await modelsvc(['quota', '--watch', '--format', 'statusline'], {
      onStart: (child) => void child.stdout.once('data', () => child.kill('SIGINT')),
    });
    expect({ stdout: offPeak(stdout), code }).toEqual({ stdout: 'pro 5h 12% | week 40% | tools 3%\n', code: 130 });
  });

  it.runIf(hasPty)('--watch draws on the alternate screen of a terminal, and leaves the last state', async () => {
    const { fake } = await withFake();
    fake.answer('quota.getLimit', limits(1), limits(2), limits(3));
    const { screen, code } = await runInPty(['quota', '--watch=1s', '--check', '3', '--base-url', fake.url], { env: { SVC_API_KEY: fakeKey } });
    expect(code).toBe(10);
    expect(screen.split('\x1b[H\x1b[2J')).toHaveLength(4);
    const [, after = ''] = screen.split('\x1b[?1049l');
    expect(after).toContain('3 %');
  });
});

describe('quota --format statusline, for a prompt', () => {
  const line = ['quota', '--format', 'statusline'];
  const faulty: readonly (readonly [string, Answer])[] = [
    ['does not answer', faults.silentBeforeHeaders()],
    ['stops within its answer', faults.silentAfterHeaders()],
    ['is overloaded', faults.error(503, '1305')],
    ['is gone', faults.resetBeforeHeaders()],
  ];

  it.each(faulty)('ends soon if the service %s: without output, or with the last value and its age', async (_, fault) => {
    const { fake, modelsvc } = await withFake();
    const HOME = await newHome();
    const env = { HOME, XDG_STATE_HOME: join(HOME, '.local/state'), NO_COLOR: '1' };
    fake.answer('quota.getLimit', fault, limits(12), fault);
    expect(await modelsvc(line, { env })).toEqual({ stdout: '', stderr: '', code: 0 });
    expect(offPeak((await modelsvc(line, { env })).stdout)).toBe('pro 5h 12%\n');
    const path = join(env.HOME, '.local/state/modelsvc/quota.json');
    const stored = await readFile(path, 'utf8');
    expect(stored).not.toMatch(new RegExp(fakeKey.replace('.', '|')));
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    const ago = (minutes: number): string => new Date(Date.now() - minutes * 60_000 - 500).toISOString();
    await writeFile(path, stored.replace(/"at": "[^"]*"/, `"at": "${ago(4)}"`));
    const known = await modelsvc([...line, '--check', '10'], { env });
    expect({ ...known, stdout: known.stdout.replace(/ \| peak \dx/, '') }).toEqual({
      stdout: 'pro 5h 12% (4m old)\n',
      stderr: 'At 10 % or beyond: five-hour.\n',
      code: 10,
    });
    // More than an hour old, and of another key.
    fake.fallback('quota.getLimit', faults.error(503, '1305'));
    expect(await modelsvc(line, { env: { ...env, SVC_API_KEY: 'another-id.another-secret' } })).toMatchObject({ stdout: '' });
    await writeFile(path, stored.replace(/"at": "[^"]*"/, `"at": "${ago(61)}"`));
    expect(await modelsvc(line, { env })).toEqual({ stdout: '', stderr: '', code: 0 });
  });

  it.each([
    ['this account', async () => ({ ...(await withFake()), more: [] as string[], lead: '' })],
    [
      '--all-accounts',
      async () => {
        const { sh, add, fake } = await newUser();
        await add('home');
        return { fake, modelsvc: sh, more: ['--all-accounts'], lead: 'home: ' };
      },
    ],
  ])('the kept use of a window ends with the window, of %s', async (_, open) => {
    const { fake, modelsvc, more, lead } = await open();
    const HOME = await newHome();
    const env = { XDG_STATE_HOME: join(HOME, '.local/state'), NO_COLOR: '1', ...(more.length === 0 && { HOME }) };
    const now = Date.now();
    const windows = (fiveHours: number): object => ({
      level: 'pro',
      limits: [
        { type: 'TOKENS_LIMIT', unit: 3, number: 5, percentage: 100, nextResetTime: now + fiveHours },
        { type: 'TOKENS_LIMIT', unit: 6, number: 1, percentage: 40 },
      ],
    });
    fake.answer(
      'quota.getLimit',
      { body: { code: 200, success: true, data: windows(1) } },
      faults.error(503, '1305'),
      { body: { code: 200, success: true, data: windows(3_600_000) } },
      faults.error(503, '1305'),
    );
    const path = join(HOME, '.local/state/modelsvc/quota.json');
    const kept = async (): Promise<void> =>
      writeFile(path, (await readFile(path, 'utf8')).replace(/"at": "[^"]*"/, `"at": "${new Date(now - 240_500).toISOString()}"`));
    await modelsvc([...line, ...more], { env });
    await kept();
    const { stdout, code } = await modelsvc([...line, ...more, '--check', '80'], { env });
    expect({ stdout: offPeak(stdout), code }).toEqual({ stdout: `${lead}pro 5h reset | week 40% (4m old)\n`, code: 0 });
    await modelsvc([...line, ...more], { env });
    await kept();
    expect(offPeak((await modelsvc([...line, ...more], { env })).stdout)).toMatch(/pro 5h 100% \d+m | week 40% \(4m old\)\n/);
  });

  it('a refused key is an error, and a file that is broken is replaced', async () => {
    const { fake, modelsvc } = await withFake();
    const HOME = await newHome();
    const env = { HOME, XDG_STATE_HOME: join(HOME, '.local/state'), NO_COLOR: '1' };
    await mkdir(join(env.HOME, '.local/state/modelsvc'), { recursive: true });
    await writeFile(join(env.HOME, '.local/state/modelsvc/quota.json'), '{');
    fake.answer('quota.getLimit', limits(12), faults.error(503, '1305'), faults.error(401, '1001'));
    expect(offPeak((await modelsvc(line, { env })).stdout)).toBe('pro 5h 12%\n');
    expect((await modelsvc(line, { env })).stdout).toMatch(/^pro 5h 12%/);
    expect(await modelsvc(line, { env })).toMatchObject({ stdout: '', code: 3 });
  });
});

describe('quota --all-accounts', () => {
  it('prints one table; an account that fails does not hide the others, and exit code 8 reports it', async () => {
    const { sh, add, fake } = await newUser();
    await add('work');
    await add('home');
    await sh(['accounts', 'add', 'gone', '--base-url', fake.url, '--no-validate'], { stdin: 'another-id.another-secret\n' });
    const { stdout, stderr, code } = await sh(['quota', '--all-accounts']);
    expect(code).toBe(8);
    expect(stdout.split('\n').map((line) => line.split('\t').slice(0, 4).join(' '))).toEqual([
      ...['home', 'work'].flatMap((name) => [`${name} pro five-hour 12 %`, `${name} pro weekly 40 %`, `${name} pro monthly-tools 3 %`]),
      '',
    ]);
    expect(stderr).toMatch(/^modelsvc: gone: token expired .*\n$/);
    const json = await sh(['quota', '--all-accounts', '--json']);
    expect(JSON.parse(json.stdout)).toMatchObject([
      { account: 'home', level: 'pro', windows: [{ used_percent: 12 }, {}, {}] },
      { account: 'work', level: 'pro' },
    ]);
    expect(JSON.parse(json.stderr)).toMatchObject({ error: { message: expect.stringMatching(/^gone: /) as string } });
    expect(json.code).toBe(8);
  });

  it('--check names the account; the statusline is a line for each', async () => {
    const { sh, add, fake } = await newUser();
    await add('home');
    await add('work');
    fake.answer('quota.getLimit', limits(10), limits(90));
    const { stdout, stderr, code } = await sh(['quota', '--all-accounts', '--check', '80', '--format', 'statusline']);
    expect({ stdout: offPeak(stdout), stderr, code }).toEqual({
      stdout: 'home: pro 5h 10%\nwork: pro 5h 90%\n',
      stderr: 'work: At 80 % or beyond: five-hour.\n',
      code: 10,
    });
  });

  it('needs an account, and excludes --watch and --account', async () => {
    const { sh, add } = await newUser();
    expect(await sh(['quota', '--all-accounts'])).toMatchObject(ends(3, 'there are no accounts'));
    await add('work');
    for (const option of ['--watch', '--account=work']) expect(await sh(['quota', '--all-accounts', option])).toMatchObject(ends(2, 'excludes'));
  });
});

describe('quota --check, answered without a window that has figures', () => {
  it.each([
    ['no window', { level: 'pro', limits: [] }, 9],
    ['a window without figures', { level: 'pro', limits: [{ type: 'TOKENS_LIMIT', unit: 3, number: 5 }] }, 9],
  ])('%s: a sentence and exit code 9', async (_name, data, code) => {
    const { fake, modelsvc } = await withFake();
    fake.fallback('quota.getLimit', { body: { code: 200, msg: 'ok', success: true, data } });
    const ended = await modelsvc(['quota', '--check', '80']);
    expect({ code: ended.code, stderr: ended.stderr }).toEqual({
      code,
      stderr: 'modelsvc: the reply has no window with figures, so that --check cannot judge\n',
    });
    expect((await modelsvc(['quota', '--check', '80', '--json'])).code).toBe(9);
    expect((await modelsvc(['quota'])).code).toBe(0);
  });
});
