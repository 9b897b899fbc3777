import { fakeKey, faults } from 'modelsvc/testing';
import { describe, expect, it } from 'vitest';
import { newUser } from '../accounts/support/shell.ts';
import { withFake } from '../support/in-process.ts';
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
    expect(await sh(['quota', '--all-accounts'])).toMatchObject({ code: 3, stderr: expect.stringContaining('there are no accounts') as string });
    await add('work');
    for (const option of ['--watch', '--account=work'])
      expect(await sh(['quota', '--all-accounts', option])).toMatchObject({ code: 2, stderr: expect.stringContaining('excludes') as string });
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
