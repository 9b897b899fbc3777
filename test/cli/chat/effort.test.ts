import { type FakeService, fakeKey, startFakeService } from 'modelsvc/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startConnectProxy } from '../../support/connect-proxy.ts';
import { hostsCaPath, hostsTls } from '../../support/tls.ts';
import { type Ended, type RunOptions, run } from '../support/in-process.ts';

/** `modelsvc` with the vendor's hosts, which a fake plays behind a proxy. */
async function withVendor(): Promise<{ readonly fake: FakeService; modelsvc(args: readonly string[], options?: RunOptions): Promise<Ended> }> {
  const fake = await startFakeService({ tls: hostsTls });
  const proxy = await startConnectProxy({ upstream: { host: '127.0.0.1', port: Number(new URL(fake.url).port) } });
  onTestFinished(async () => {
    await proxy.close();
    await fake.close();
  });
  const env = { SVC_API_KEY: fakeKey, HTTPS_PROXY: proxy.url, NODE_EXTRA_CA_CERTS: hostsCaPath };
  return { fake, modelsvc: (args, options = {}) => run(args, { ...options, env: { ...env, ...options.env } }) };
}

const knobs = (fake: FakeService): unknown[] =>
  fake.requests.map(({ body }) => {
    const { thinking, reasoning_effort, output_config } = body as Record<string, unknown>;
    return { thinking, reasoning_effort, output_config };
  });

describe('--effort', () => {
  const note = 'effort off: glm-5.3 always thinks; low is its lowest effort.\n';

  it.each([
    ['chat --effort off', { thinking: { type: 'enabled' }, reasoning_effort: 'low' }, note],
    ['chat --thinking off', { thinking: { type: 'enabled' }, reasoning_effort: 'low' }, note],
    ['chat --effort low', { reasoning_effort: 'low' }, ''],
    ['chat --effort off --quiet', { thinking: { type: 'enabled' }, reasoning_effort: 'low' }, ''],
    ['chat --effort off --no-stream', { thinking: { type: 'enabled' }, reasoning_effort: 'low' }, note],
    ['chat --effort off -m glm-4.7', { thinking: { type: 'disabled' } }, ''],
    ['chat --effort high -m glm-4.7', { thinking: { type: 'enabled' } }, 'effort high: The depth at which glm-4.7 thinks cannot be chosen.\n'],
    ['chat --thinking on', { thinking: { type: 'enabled' } }, ''],
    ['messages --effort off', { thinking: { type: 'adaptive' }, output_config: { effort: 'low' } }, note],
    ['messages --effort max', { output_config: { effort: 'max' } }, ''],
    ['messages --effort low -m glm-4.6', { thinking: { type: 'enabled', budget_tokens: 1024 } }, ''],
  ])('%s', async (words, fields, stderr) => {
    const { fake, modelsvc } = await withVendor();
    fake.chat.reply('No.');
    fake.messages.reply('No.');
    expect(await modelsvc([...words.split(' '), 'Is 91 prime?'])).toEqual({ stdout: 'No.\n', stderr, code: 0 });
    expect(knobs(fake)).toEqual([fields]);
  });

  it('says once in a run why the wish is met by something else', async () => {
    const { fake, modelsvc } = await withVendor();
    for (const _ of 'abcd') fake.chat.reply('No.');
    const mapped = await modelsvc(['map', 'Is {line} prime?', '--effort', 'off'], { stdin: '91\n92\n' });
    expect(mapped.stderr).toMatch(/\n2 answered, 0 failed; [\d,]+ tokens in, [\d,]+ out.*\n$/);
    expect(mapped.stderr.split('\n').slice(0, -2).join('\n')).toBe(note.trimEnd());
    const repl = await modelsvc(['chat', 'repl', '--effort', 'off', '--no-save'], { stdin: 'Is 91 prime?\nIs 92 prime?\n' });
    expect(repl).toEqual({ stdout: 'No.\nNo.\n', stderr: note, code: 0 });
    const job = await modelsvc(['chat', '--async', '--effort', 'off', 'Is 91 prime?', '--json']);
    expect(job.stderr).toBe(note);
    expect(knobs(fake)).toEqual(Array(5).fill({ thinking: { type: 'enabled' }, reasoning_effort: 'low' }));
  });
});
