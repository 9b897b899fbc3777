import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { version } from 'modelsvc';
import { type FakeRequest, faults } from 'modelsvc/testing';
import { describe, expect, it } from 'vitest';
import { readBundle } from '../../../src/cli/commands/confirm/bundle.ts';
import { run } from '../support/in-process.ts';
import { hasPty, openPty } from '../support/pty.ts';
import { faithful, packageClaims } from './support.ts';

const claimIds = new Set((await packageClaims()).map(({ id }) => id));
const checked = async (file: string): Promise<ReturnType<typeof readBundle>> =>
  readBundle(file, await readFile(file, 'utf8'), { package: version, claimIds });
const few = [
  '--kind',
  'refusal',
  '--claim',
  'field:ChatResponse.object',
  '--claim',
  'operation:anthropic.create',
  '--claim',
  'operation:models.list',
];
const requestOf = ({ method, target, body, headers }: FakeRequest): string => JSON.stringify([method, target, body, headers['authorization']]);

describe('the plan', () => {
  it('is printed by --dry-run without a key: at most 60 requests and 0.01 USD, and nothing is sent', async () => {
    const { fake, confirm, bundle } = await faithful();
    const before = fake.requests.length;
    const { stdout, code } = await confirm(['--dry-run'], { env: { SVC_API_KEY: '' } });
    const plan = JSON.parse(stdout) as {
      requests: { usd: number }[];
      hosts: Record<string, number>;
      largest_usd: number;
      left_out: { why: string }[];
    };
    expect(code).toBe(0);
    expect(plan.requests).toHaveLength(60);
    expect(plan.hosts).toEqual({ [new URL(fake.url).host]: 60 });
    expect(plan.largest_usd).toBeLessThanOrEqual(0.01);
    expect(plan.requests.slice(0, 20).every(({ usd }) => usd === 0)).toBe(true);
    expect(plan.left_out.map(({ why }) => why)).toContain('more than 60 requests (--all sends it)');
    expect(fake.requests).toHaveLength(before);
    expect(existsSync(bundle)).toBe(false);
  });

  it('is shown before the question, and without a terminal or --yes nothing is sent', async () => {
    const { fake, home } = await faithful();
    const before = fake.requests.length;
    const args = ['confirm', '--kind', 'refusal', '--base-url', fake.url];
    const env = { HOME: home, SVC_API_KEY: 'fake-id.fake-secret' };
    const { stderr, code } = await run(args, { env });
    expect(stderr).toMatch(
      /Largest cost: .*USD.*Send \d+ requests to 127\.0\.0\.1:\d+ with SVC_API_KEY, for at most [\d.]+ USD.*Confirm with --yes/s,
    );
    expect(code).toBe(2);
    expect(fake.requests).toHaveLength(before);
  });

  it.runIf(hasPty)('is sent after a yes on the terminal', async () => {
    const { fake, home } = await faithful();
    const args = ['confirm', '--claim', 'operation:models.list', '--base-url', fake.url];
    const terminal = await openPty(args, { env: { HOME: home, SVC_API_KEY: 'fake-id.fake-secret' } });
    await terminal.shows('with SVC_API_KEY, for at most 0 USD? [y/N] ');
    terminal.type('y');
    const { screen, code } = await terminal.ended;
    expect(screen).toMatch(/operation:models\.list\s+.*holds/);
    expect(code).toBe(0);
  });
});

describe('bad input', () => {
  it.each([
    [['--claim', 'code:1221x'], 'there is no claim "code:1221x"', 'Did you mean code:1221?'],
    [['--kind', 'codes'], '--kind must be one of code, default, enum', ''],
    [['--resume', 'none.json'], '--resume: none.json does not exist', ''],
    [['--evidence', 'empty.json'], '--evidence: empty.json is not a file of claims', ''],
    [['--claim', 'price:glm-5.3.input'], 'no request can be sent for these claims', ''],
  ])('%j is refused before any request', async (args, message, next) => {
    const { fake, confirm, home } = await faithful();
    const before = fake.requests.length;
    await writeFile(join(home, 'empty.json'), '{}');
    const { stderr, code } = await confirm(args);
    expect(stderr.replaceAll('\\"', '"')).toContain(message);
    expect(stderr).toContain(next);
    expect(code).toBe(2);
    expect(fake.requests).toHaveLength(before);
  });

  it('no key is exit code 3, and an existing bundle is kept without --force', async () => {
    const { fake, confirm, bundle } = await faithful();
    expect(await confirm([], { env: { SVC_API_KEY: '' } })).toMatchObject({ code: 3 });
    await writeFile(bundle, 'mine');
    const before = fake.requests.length;
    expect((await confirm(few)).stderr).toContain(`${bundle} exists`);
    expect(fake.requests).toHaveLength(before);
    expect(await readFile(bundle, 'utf8')).toBe('mine');
    expect(await confirm([...few, '--force'])).toMatchObject({ code: 0 });
    expect((await checked(bundle)).answered.length).toBeGreaterThan(10);
  });
});

describe('a key or a service that does not do everything', () => {
  it('a rate limit is waited for, and one that lasts is not reachable now; the rest goes on, and --resume sends only that', async () => {
    const { fake, confirm, bundle } = await faithful();
    fake.answer('anthropic.create', faults.rateLimit({ seconds: 0.001 }));
    const waited = await confirm(['--claim', 'operation:anthropic.create']);
    expect(waited.row('operation:anthropic.create')?.verdict).toBe('holds');
    expect(waited.stderr).toContain('messages: rate limit; waiting 0.001 s, at most 60 s for a probe');
    fake.answer('anthropic.create', faults.rateLimit({ seconds: 3600 }));
    const claims = ['--claim', 'field:AnthropicServerToolUse.web_fetch_requests', '--claim', 'field:ChatResponse.object'];
    const limited = await confirm([...claims, '--force']);
    expect(limited.row('field:AnthropicServerToolUse.web_fetch_requests')?.why).toBe('not reachable now: rate limit (1302)');
    expect(limited.row('field:ChatResponse.object')?.verdict).toBe('holds');
    expect(limited.code).toBe(8);
    expect(limited.stderr).toContain('Resume with: modelsvc confirm --resume');
    const before = fake.requests.length;
    expect((await confirm([...claims, '--resume', bundle])).code).toBe(0);
    expect(fake.requests.slice(before).map(({ operation }) => operation)).toEqual(['anthropic.create']);
  });

  it('no balance, a key without permission and a wrong key are named for their claims, and the rest goes on', async () => {
    const { fake, confirm } = await faithful();
    fake.fallback('anthropic.countTokens', faults.error(429, '1113', 'no balance'));
    fake.fallback('quota.getLimit', faults.error(403, '1220', 'no permission'));
    const ids = ['field:AnthropicTokenCount', 'field:QuotaLimit', 'field:ChatResponse.object'];
    const { row, code } = await confirm(ids.flatMap((id) => ['--claim', id]));
    expect(row('field:AnthropicTokenCount')?.why).toBe('no balance (1113)');
    expect(row('field:QuotaLimit')?.why).toBe('this key may not do it (1220)');
    expect(row('field:ChatResponse.object')?.verdict).toBe('holds');
    expect(code).toBe(0);
    const before = fake.requests.length;
    const wrong = await confirm([...few, '--force'], { env: { SVC_API_KEY: 'wrong-id.wrong-secret' } });
    expect(wrong.row('field:ChatResponse.object')?.why).toBe('the service does not accept the key (401)');
    // One request a root is enough to see it.
    expect(fake.requests.slice(before).filter(({ operation }) => operation === 'chat.create')).toHaveLength(0);
  });

  it('a host that does not answer is given up after three requests', async () => {
    const { fake, confirm } = await faithful();
    await fake.refuse();
    const { rows, code } = await confirm(few);
    expect(rows.every(({ verdict }) => verdict === 'unreachable')).toBe(true);
    expect(rows[0]?.why).toContain('not reachable now');
    expect(code).toBe(8);
  });
});

describe('a plan key', () => {
  it('is used on chat, messages and Responses only, and after the acknowledgement', async () => {
    const { fake, home } = await faithful();
    const root = `${fake.url}/api/coding/paas/v4`;
    const sh = (args: readonly string[], stdin = '') => run(args, { stdin, cwd: home, env: { HOME: home } });
    await sh(['accounts', 'add', 'plan', '--kind', 'plan', '--base-url', root, '--no-validate'], 'fake-id.fake-secret\n');
    const asked = await sh(['confirm', '--account', 'plan']);
    expect(asked).toMatchObject({ code: 2, stderr: expect.stringContaining('Pass --yes once to acknowledge this') as string });
    const before = fake.requests.length;
    const { stdout } = await sh(['confirm', '--account', 'plan', '--yes', '--json', '--claim', 'refusal:glm-5.3-flashx.plan', '--kind', 'model']);
    const { verdicts } = JSON.parse(stdout) as { verdicts: { id: string; verdict: string }[] };
    const holding = verdicts.filter(({ verdict }) => verdict === 'holds').map(({ id }) => id);
    expect(holding).toEqual(expect.arrayContaining(['refusal:glm-5.3-flashx.plan', 'model:glm-4.7.plan_model', 'model:glm-5.1.plan_model']));
    expect(verdicts.filter(({ verdict }) => verdict === 'differs')).toEqual([]);
    const paths = new Set(fake.requests.slice(before).map(({ path }) => path.replace('/api/coding/paas/v4', '')));
    expect([...paths].sort()).toEqual(['/chat/completions', '/responses']);
  });

  it('of an account for the service needs --plan-endpoint', async () => {
    const { home } = await faithful();
    const sh = (args: readonly string[], stdin = '') => run(args, { stdin, cwd: home, env: { HOME: home } });
    await sh(['accounts', 'add', 'plan', '--kind', 'plan', '--no-validate'], 'fake-id.fake-secret\n');
    const { stderr, code } = await sh(['confirm', '--account', 'plan', '--yes']);
    expect(stderr).toContain('account plan has the key of a coding plan');
    expect(code).toBe(2);
  });
});

describe('an interrupted run', () => {
  it('continues with --resume: no answered probe is sent again, and the bundle is whole at every moment', async () => {
    const { fake, confirm, bundle } = await faithful();
    const states: number[] = [];
    fake.fallback('chat.create', async () => {
      if (existsSync(bundle)) states.push((await checked(bundle)).answered.length);
      return { turn: { text: 'Hi' } };
    });
    const before = fake.requests.length;
    const interrupted = await confirm(few, {
      onStart: (child) =>
        fake.answer('anthropic.create', () => {
          child.kill('SIGINT');
          return faults.silentBeforeHeaders();
        }),
    });
    expect(interrupted.code).toBe(130);
    expect(interrupted.stderr).toContain(`Resume with: modelsvc confirm --resume ${bundle}`);
    const first = await checked(bundle);
    expect(first.answered.length).toBeGreaterThan(0);
    const resumed = await confirm([...few, '--resume', bundle]);
    expect(resumed.code).toBe(0);
    const whole = await checked(bundle);
    expect(whole.answered.length).toBeGreaterThan(first.answered.length);
    expect(states).toEqual([...states].sort((a, b) => a - b));
    const sent = fake.requests
      .slice(before)
      .filter(({ outcome }) => outcome === 'answered')
      .map(requestOf);
    expect(new Set(sent).size).toBe(sent.length);
    expect(resumed.row('operation:anthropic.create')?.verdict).toBe('holds');
    expect(resumed.row('operation:models.list')?.verdict).toBe('holds');
  });
});
