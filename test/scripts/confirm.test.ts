import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { fakeKey, readExchanges, startFakeService } from '../../src/testing/index.ts';
import { type Change, type ChangingProxy, changingProxy } from '../support/changing-proxy.ts';
import { programOutcome } from '../support/child.ts';
import { startRawServer } from '../support/raw-server.ts';
import { newFolder } from '../support/storage.ts';

interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly notes: string;
}

async function run(args: readonly string[], key: string = fakeKey): Promise<Ran> {
  const { code, stdout, stderr } = await programOutcome('scripts/service.ts', ['confirm', ...args], { env: { SVC_API_KEY: key }, isBundled: false });
  return { code, out: stdout, notes: stderr };
}

/** The fake accepts any model; the service refuses an unknown one. */
const asTheService: Change = ({ sent, path }) => {
  if (!sent.includes('"modelsvc-confirm-unknown"')) return undefined;
  const error = {
    paas: { error: { code: '1211', message: 'x' } },
    anthropic: { type: 'error', error: { type: '1211', message: 'x' }, request_id: 'r' },
    v1: { error: { code: 'model_not_found', message: 'x', type: 'model_not_found', param: null } },
  }[path.split('/')[2] ?? ''];
  return { status: 400, text: JSON.stringify(error), headers: { 'content-type': 'application/json' } };
};

async function service(change: Change = () => undefined): Promise<{ proxy: ChangingProxy; file: string; args: string[] }> {
  const fake = await startFakeService();
  onTestFinished(() => fake.close());
  const proxy = await changingProxy(fake.url);
  proxy.use((reply) => asTheService(reply) ?? change(reply));
  const file = join(await newFolder(), 'run.json');
  return { proxy, file, args: ['--host', proxy.url, '--file', file] };
}

describe('npm run confirm', () => {
  it('shows the requests and their cost without a key, and sends no request', async () => {
    const { proxy, file, args } = await service();
    const { code, notes } = await run([...args, '--dry-run'], '');
    expect(code).toBe(0);
    expect(notes).toMatch(
      /At most \d+ requests to 127\.0\.0\.1:\d+:[\s\S]*chat tool stream {2}\(2 requests\)[\s\S]*Largest cost, by list prices: 0[.\d]* USD/,
    );
    expect(notes).toContain('(only a plan key can do it): glm-5.3-flashx plan key');
    expect([proxy.asked, existsSync(file)]).toEqual([[], false]);
  });

  it('sends no request without a terminal or --yes', async () => {
    const { proxy, args } = await service();
    const { code, notes } = await run(args);
    expect([code, proxy.asked]).toEqual([2, []]);
    expect(notes).toMatch(/At most \d+ requests[\s\S]*pass --yes/);
  });

  it('finds no difference in the fake, keeps no secret and no text, and sends no entry twice', async () => {
    const { proxy, file, args } = await service();
    const first = await run([...args, '--yes']);
    expect([first.code, first.out.split('\n').filter((line) => /^(?:differs|new)/.test(line))]).toEqual([0, []]);
    expect(first.out).toMatch(/holds {8}operation:chat\.create[\s\S]*\d+ claims hold\. 0 differ, 0 are new/);
    const text = readFileSync(file, 'utf8');
    for (const secret of ['fake-secret', 'wrong-secret', 'How many letters']) expect(text + first.out + first.notes).not.toContain(secret);
    const sent = proxy.asked.length;
    expect(sent).toBeGreaterThan(40);
    expect((await run([...args, '--yes'])).out).toContain('0 differ, 0 are new');
    expect(proxy.asked).toHaveLength(sent);
  });

  it('finds differences, and prints each as a change of its line of the document', async () => {
    const { args } = await service(({ text, headers }) => ({
      text: headers['content-type']?.includes('json') ? text.replace('"total_tokens"', '"sum_tokens"').replace('"end_turn"', '"paused"') : text,
    }));
    const { code, out } = await run([...args, '--yes']);
    expect(code).toBe(0);
    expect(out).toContain('differs      chat.create response.body.usage.total_tokens: expected the field, seen nothing');
    expect(out).toContain('new          chat.create response.body.usage.sum_tokens: expected no such field');
    expect(out).toMatch(/new {10}anthropic\.create response\.body\.stop_reason: expected one of .*end_turn.*, seen paused/);
    expect(out).toMatch(/--- spec\/openapi\.yaml\n\+\+\+ spec\/openapi\.yaml\n@@ line \d+ @@\n .*\n\+ +# add the field sum_tokens/);
    expect(out).not.toContain('holds        field:ChatUsage.total_tokens');
  });

  it.each<[string, Change, string]>([
    [
      'rate limits',
      () => ({ status: 429, text: '{"error":{"code":"1302","message":"x"}}', headers: { 'content-type': 'application/json' } }),
      'rate limit',
    ],
    ['failures', () => ({ status: 503, text: '', headers: {} }), 'the service failed with status 503'],
  ])('ends early on %s, confirms no claim, and can be continued', async (_what, change, why) => {
    const { proxy, file, args } = await service(change);
    proxy.use(change);
    const { code, out } = await run([...args, '--yes']);
    expect([code, out.includes('holds  '), existsSync(file)]).toEqual([8, false, false]);
    expect(proxy.asked).toHaveLength(3);
    expect(out).toContain(`not reached  models.list: ${why}`);
    expect(out).toContain('the entries before it had no answer');
  });

  it('a host of HTML pages confirms no claim', async () => {
    const { proxy, args } = await service();
    proxy.use(() => ({ status: 200, headers: { 'content-type': 'text/html' }, text: '<html>fake-id.fake-secret</html>' }));
    const { code, out } = await run([...args, '--yes']);
    expect([code, /^holds/m.test(out)]).toEqual([0, false]);
    expect(out).toMatch(/not reached {2}chat\.create response: an HTML page with status 200/);
    expect(out).not.toContain('fake-secret');
  });

  it('a host that resets connections confirms no claim', async () => {
    const server = await startRawServer((socket) => socket.destroy());
    const { code, out } = await run(['--host', server.url, '--file', join(await newFolder(), 'run.json'), '--yes']);
    expect([code, /^holds/m.test(out)]).toEqual([8, false]);
    expect(out).toContain('not reached  models.list: no reply');
  });

  it.each([
    ['no host', [], 'pass --host URL or --recording FILE'],
    ['a path', ['--host', 'https://api.z.ai/api/paas/v4'], '--host must be a URL without path'],
    ['a host without TLS', ['--host', 'http://api.z.ai'], '--host must be https://api.z.ai'],
    ['a word that is no URL', ['--host', 'api'], '--host must be a URL'],
    ['an unknown option', ['--hots', 'x'], "Unknown option '--hots'"],
    ['a missing recording', ['--recording', '/does/not/exist'], 'ENOENT'],
  ])('refuses %s', async (_what, args, message) => {
    const { code, notes } = await run(args);
    expect(code).toBe(2);
    expect(notes).toContain(message);
  });

  it('refuses a file that was changed, is cut off, or is of another host', async () => {
    const { file, args } = await service();
    await run([...args, '--yes']);
    const text = readFileSync(file, 'utf8');
    for (const [changed, message] of [
      [text.replace('"payg"', '"plan"'), 'confirm.sum does not fit'],
      [text.slice(0, text.length / 2), 'is cut off'],
      [text.replace('"version": 1', '"version": 2'), 'version must be 1'],
    ] as const) {
      writeFileSync(file, changed);
      const { code, notes } = await run([...args, '--yes']);
      expect([code, notes]).toEqual([2, expect.stringContaining(message)]);
    }
    writeFileSync(file, text);
    expect(await run(['--host', 'http://127.0.0.1:1', '--file', file, '--yes'])).toMatchObject({
      code: 2,
      notes: expect.stringContaining('write to another one with --file') as string,
    });
  });

  it('judges a recording without a request', async () => {
    const file = fileURLToPath(new URL('../recorded/models-list-china-ok.json', import.meta.url));
    expect(await run(['--recording', file], '')).toMatchObject({ code: 0, out: '0 differ, 0 are new, 0 were not reached.\n' });
    const other = join(await newFolder(), 'other.json');
    writeFileSync(other, readFileSync(file, 'utf8').replaceAll('"owned_by"', '"owner"'));
    expect(readExchanges(readFileSync(other, 'utf8')).exchanges).toHaveLength(1);
    expect((await run(['--recording', other], '')).out).toMatch(/differs {6}models\.list response\.body\.data\[\]\.owned_by/);
  });
});
