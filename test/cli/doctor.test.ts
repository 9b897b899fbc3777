import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fakeKey, faults, refusedUrl } from 'modelsvc/testing';
import { describe, expect, it } from 'vitest';
import { nodeFinding, proxyFindings } from '../../src/cli/commands/doctor/local.ts';
import { clockFindings } from '../../src/cli/commands/doctor/remote.ts';
import { caPath, serverTls } from '../support/tls.ts';
import { newUser, type User } from './accounts/support/shell.ts';
import type { RunOptions } from './support/in-process.ts';

interface Report {
  readonly ok: boolean;
  readonly version: string;
  readonly findings: readonly { readonly check: string; readonly status: string; readonly text: string; readonly next?: string }[];
}

async function doctor({ sh }: User, args: readonly string[] = [], options: RunOptions = {}): Promise<Report & { readonly code: number | undefined }> {
  const { stdout, stderr, code } = await sh(['doctor', '--json', ...args], options);
  expect(stderr).toBe('');
  const report = JSON.parse(stdout) as Report;
  // Each finding that needs attention has a next step, and the exit code agrees.
  for (const { status, next } of report.findings) if (status !== 'ok') expect(next).toMatch(/\S/);
  expect(code).toBe(report.ok ? 0 : 1);
  return { ...report, code };
}

describe('doctor', () => {
  it('finds no problem with a stored plan key, and uses free calls only', async () => {
    const user = await newUser();
    await user.add('work');
    const before = user.fake.requests.length;
    const { ok, findings } = await doctor(user);
    expect(ok).toBe(true);
    expect(new Set(findings.map(({ check }) => check))).toEqual(
      new Set(['node', 'store', 'variables', 'key', 'network', 'service', 'clock', 'quota']),
    );
    expect(findings.find(({ check }) => check === 'key')?.text).toBe(`fake…cret from account work (plan, global) for ${new URL(user.fake.url).host}`);
    expect(user.fake.requests.slice(before).every(({ operation }) => ['models.list', 'quota.getLimit'].includes(String(operation)))).toBe(true);
    const { stdout, code } = await user.sh(['doctor']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^ok {6}Node \d+/);
  });

  it.each([
    ['no key', [], {}, 'key', 'no API key', 'Run `modelsvc accounts add NAME`'],
    ['a wrong key', ['URL'], { SVC_API_KEY: 'wrong-key-0123456789' }, 'service', 'token expired or incorrect', 'accounts validate'],
    ['a refused connection', ['REFUSED'], { SVC_API_KEY: fakeKey }, 'network', 'ECONNREFUSED', 'Check the connection'],
    ['an unknown host', ['https://no-such-host.invalid'], { SVC_API_KEY: fakeKey }, 'network', 'no-such-host.invalid has no address', 'DNS'],
    ['no check of TLS', ['URL'], { SVC_API_KEY: fakeKey, NODE_TLS_REJECT_UNAUTHORIZED: '0' }, 'variables', 'TLS_REJECT_UNAUTHORIZED=0', 'Unset it'],
  ] as const)('%s is a problem with a next step', async (_name, roots, env, check, text, next) => {
    const user = await newUser();
    const urls: Record<string, string> = { URL: user.fake.url, REFUSED: await refusedUrl() };
    const args = roots.flatMap((root) => ['--base-url', urls[root] ?? root]);
    const { stdout, code } = await user.sh(['doctor', '--json', ...args], { env });
    expect(code).toBe(1);
    expect((JSON.parse(stdout) as Report).findings).toContainEqual({
      check,
      status: 'problem',
      text: expect.stringContaining(text),
      next: expect.stringContaining(next),
    });
  });

  it('a certificate that is not accepted is named, and NODE_EXTRA_CA_CERTS helps', async () => {
    const user = await newUser({ tls: serverTls });
    const env = { SVC_API_KEY: fakeKey };
    const args = ['--base-url', user.fake.url];
    const { findings } = await doctor(user, args, { env });
    expect(findings.at(-1)).toMatchObject({
      check: 'network',
      status: 'problem',
      text: expect.stringContaining('the certificate of'),
      next: expect.stringContaining('NODE_EXTRA_CA_CERTS'),
    });
    const trusted = await doctor(user, args, { env: { ...env, NODE_EXTRA_CA_CERTS: caPath } });
    expect(trusted.findings.find(({ check }) => check === 'network')?.text).toContain('over TLSv1.3');
  });

  it('a used-up window is a problem', async () => {
    const user = await newUser();
    await user.add('work');
    const limits = [{ type: 'TOKENS_LIMIT', unit: 3, number: 5, percentage: 100, nextResetTime: Date.now() + 3 * 3_600_000 }];
    user.fake.answer('quota.getLimit', { body: { code: 200, success: true, data: { level: 'pro', limits } } });
    const { findings } = await doctor(user);
    expect(findings).toContainEqual({
      check: 'quota',
      status: 'problem',
      text: 'five-hour: 100 % used',
      next: expect.stringMatching(/^It resets in /),
    });
  });

  it('a service that fails is a problem, and no crash', async () => {
    const user = await newUser();
    await user.add('work');
    user.fake.answer('models.list', faults.htmlErrorPage(502));
    const { findings } = await doctor(user, ['--retries', '0']);
    expect(findings.at(-1)).toMatchObject({ check: 'service', status: 'problem' });
  });

  it('names the state of the store: a broken file, open modes, a missing key, a left key', async () => {
    const user = await newUser();
    await user.add('work');
    const file = join(user.folder, 'credentials.json');
    await chmod(user.folder, 0o755);
    expect((await doctor(user)).findings).toContainEqual(
      expect.objectContaining({ check: 'store', status: 'problem', next: `Run \`chmod 700 ${user.folder}\`.` }),
    );
    await chmod(user.folder, 0o700);
    await chmod(file, 0o644);
    expect((await doctor(user)).findings).toContainEqual(
      expect.objectContaining({ check: 'store', status: 'problem', next: `Run \`chmod 600 ${file}\`.` }),
    );
    await chmod(file, 0o600);
    await writeFile(file, JSON.stringify({ version: 1, keys: { k1: { apiKey: 'x', hosts: [], account: 'old' } } }));
    const { findings } = await doctor(user);
    expect(findings).toContainEqual(expect.objectContaining({ status: 'problem', text: 'the key of account work is missing from the file' }));
    expect(findings).toContainEqual(expect.objectContaining({ status: 'problem', text: `${file} has a key of old that no account uses` }));
    await writeFile(file, 'broken');
    expect((await doctor(user)).findings).toContainEqual(
      expect.objectContaining({ check: 'store', text: expect.stringContaining('is not a JSON object') }),
    );
  });

  it('notes variables that conflict or have no effect, and proxies without their password', async () => {
    const user = await newUser();
    await user.add('work');
    const env = {
      SVC_API_KEY: fakeKey,
      SVC_API_BASE_URL: 'https://gateway.example/v1',
      SVC_BASE_URL: 'https://x.example',
      ZAI_API_KEY: 'k',
      HTTPS_PROXY: 'http://me:hidden@proxy.example:3128',
      NO_PROXY: 'a.example',
    };
    const { findings, code } = await doctor(user, ['--base-url', user.fake.url], { env });
    const texts = findings.filter(({ status }) => status === 'note').map(({ text }) => text);
    expect(texts).toEqual([
      'SVC_API_KEY is set and comes before the active account work',
      'SVC_API_BASE_URL is the root of every operation here; with newClientFromEnv of the library, messages, Responses, agents, quota, account, embeddings and moderations still go to the vendor',
      'the command line does not read SVC_BASE_URL',
      'the command line does not read ZAI_API_KEY',
    ]);
    expect(code).toBe(0);
    expect(user.printed()).not.toContain('hidden');
  });
});

describe('the proxy for the host in use', () => {
  const env = { SVC_API_KEY: fakeKey, HTTPS_PROXY: 'http://me:hidden@proxy.example:3128' };
  it.each([
    ['', ['api.z.ai goes through HTTPS_PROXY=proxy.example:3128']],
    ['a.example', ['api.z.ai goes through HTTPS_PROXY=proxy.example:3128: no entry of NO_PROXY matches it']],
    ['a.example,z.ai', ['api.z.ai goes around HTTPS_PROXY=proxy.example:3128: "z.ai" in NO_PROXY matches it']],
    [
      '127.*,10.0.0.0',
      ['api.z.ai goes through HTTPS_PROXY=proxy.example:3128: no entry of NO_PROXY matches it', 'no rule reads "127.*" in NO_PROXY'],
    ],
  ])('NO_PROXY=%s', (list, texts) => {
    const findings = proxyFindings(new URL('https://api.z.ai'), { ...env, NO_PROXY: list });
    expect(findings.map(({ text }) => text)).toEqual(texts);
    expect(proxyFindings(new URL('https://api.z.ai'), { NO_PROXY: list })).toEqual([]);
  });

  it('is a finding, and a command names an entry that no rule reads once', async () => {
    const user = await newUser();
    const all = { SVC_API_KEY: fakeKey, HTTP_PROXY: await refusedUrl(), NO_PROXY: '127.*,x.test' };
    // No loopback address, so that the proxy applies. It refuses.
    const root = user.fake.url.replace('127.0.0.1', 'fake.test');
    const { stderr } = await user.sh(['models', 'list', '--base-url', root, '--retries', '0'], { env: all });
    expect(stderr.split('\n').filter((line) => line.includes('no rule reads'))).toEqual([
      'modelsvc: no rule reads "127.*" in NO_PROXY. Use a name, an address, or a network such as 10.0.0.0/8.',
    ]);
    const { findings } = await doctor(user, ['--base-url', user.fake.url], { env: all });
    expect(findings.filter(({ check }) => check === 'proxy').map(({ text }) => text)).toEqual([
      expect.stringMatching(/^127\.0\.0\.1:\d+ goes around HTTP_PROXY=127\.0\.0\.1:\d+: "127\.0\.0\.1" in no_proxy matches it$/),
      'no rule reads "127.*" in no_proxy',
    ]);
  });
});

describe('findings', () => {
  it.each([
    ['18.20.0', 'problem'],
    ['20.18.9', 'problem'],
    ['20.19.0', 'ok'],
    ['24.1.0', 'ok'],
  ])('Node %s: %s', (version, status) => {
    expect(nodeFinding(version).status).toBe(status);
  });

  it.each([
    [0, 'the clock agrees with the service'],
    [-4 * 60_000, 'the clock agrees with the service'],
    [6 * 60_000, 'the clock of this machine is 6 min ahead of the service'],
    [-3 * 3_600_000, 'the clock of this machine is 3 h 0 min behind the service'],
  ])('a clock that is %i ms off', (skew, text) => {
    const now = Date.parse('2026-11-21T12:00:00Z');
    expect(clockFindings('Sat, 21 Nov 2026 12:00:00 GMT', now + skew)[0]?.text).toBe(text);
    expect(clockFindings(undefined, now)).toEqual([]);
  });
});
