import { join } from 'node:path';
import { type FakeService, fakeKey, faults, startFakeService } from 'modelsvc/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startConnectProxy } from '../../support/connect-proxy.ts';
import { hostsCaPath, hostsTls } from '../../support/tls.ts';
import { type Ended, newHome, type RunOptions, run, withFake } from '../support/in-process.ts';

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

const knobsOf = (body: unknown): unknown => {
  const { thinking, reasoning_effort, output_config } = body as Record<string, unknown>;
  return { thinking, reasoning_effort, output_config };
};
const knobs = (fake: FakeService): unknown[] => fake.requests.map(({ body }) => knobsOf(body));

describe('--effort', () => {
  const note = 'effort off: glm-5.3 always thinks; low is its lowest effort.\n';

  it.each([
    ['chat --effort off', { thinking: { type: 'enabled' }, reasoning_effort: 'low' }, note],
    ['chat --thinking off', { thinking: { type: 'enabled' }, reasoning_effort: 'low' }, note],
    ['chat --effort off --quiet', { thinking: { type: 'enabled' }, reasoning_effort: 'low' }, ''],
    ['chat --effort off --no-stream', { thinking: { type: 'enabled' }, reasoning_effort: 'low' }, note],
    ['chat --effort high -m glm-4.7', { thinking: { type: 'enabled' } }, 'effort high: The depth at which glm-4.7 thinks cannot be chosen.\n'],
    ['messages --effort off', { thinking: { type: 'adaptive' }, output_config: { effort: 'low' } }, note],
  ])('%s', async (words, fields, stderr) => {
    // On the host of the vendor, whose rules count.
    const ended = await run([...words.split(' '), 'Is 91 prime?', '--dry-run', '--json'], { env: { SVC_API_KEY: fakeKey } });
    expect(ended).toMatchObject({ stderr, code: 0 });
    expect(knobsOf((JSON.parse(ended.stdout) as { body: object }).body)).toEqual(fields);
  });

  it('prints once in a run why the wish is met by something else', async () => {
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

describe('a model that will retire', () => {
  const note = 'glm-4.5-flash will retire soon: modelsvc models list has the others\n';

  it.each([
    ['chat', note],
    ['chat --no-stream', note],
    ['messages', note],
    ['responses', note],
    ['chat --quiet', ''],
  ])('%s', async (words, stderr) => {
    const ended = await run([...words.split(' '), '-m', 'glm-4.5-flash', 'Hi', '--dry-run'], { env: { SVC_API_KEY: fakeKey } });
    expect(ended).toMatchObject({ stderr, code: 0 });
  });

  it('is named once in a run of many calls, and not on another host', async () => {
    const { modelsvc } = await withVendor();
    const mapped = await modelsvc(['map', 'Is {line} prime?', '-m', 'glm-4.5-flash'], { stdin: '91\n92\n' });
    expect(mapped.stderr.split(note)).toHaveLength(2);
    const { modelsvc: elsewhere } = await withFake();
    expect((await elsewhere(['chat', '-m', 'glm-4.5-flash', 'Hi'])).stderr).toBe('');
  });
});

describe('with --base-url', () => {
  const refusal = faults.alwaysThinks();

  it.each([
    ['chat', 'chat.create'],
    ['messages', 'anthropic.create'],
  ] as const)('%s: the refusal names --service-rules, which translates --effort, as an option and as a setting', async (command, operation) => {
    const { fake, modelsvc } = await withFake();
    const home = await newHome();
    const env = { HOME: home, XDG_CONFIG_HOME: join(home, '.config') };
    const ask = (...options: string[]): Promise<Ended> => modelsvc([command, '--effort', 'off', ...options, 'Is 91 prime?'], { env });
    // The fake refuses it on chat by itself.
    if (command === 'messages') fake.answer(operation, refusal);
    const refused = await ask();
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('Pass --effort low. Behind a gateway, also set --service-rules on.');
    expect(refused.stderr).not.toContain('in place of');
    fake[command].reply('No.').reply('No.');
    expect(await ask('--service-rules', 'on')).toMatchObject({ stdout: 'No.\n', code: 0 });
    expect((await modelsvc(['config', 'set', 'service-rules', 'on'], { env })).code).toBe(0);
    expect(await ask()).toMatchObject({ stdout: 'No.\n', code: 0 });
    const [, byOption, bySetting] = knobs(fake);
    expect(byOption).toEqual(
      command === 'chat'
        ? { thinking: { type: 'enabled' }, reasoning_effort: 'low' }
        : { thinking: { type: 'adaptive' }, output_config: { effort: 'low' } },
    );
    expect(bySetting).toEqual(byOption);
  });

  it('map, and jobs that are resumed, keep it', async () => {
    const { fake, modelsvc } = await withFake();
    fake.chat.reply('No.');
    await modelsvc(['map', 'Is {line} prime?', '--effort', 'off', '--service-rules', 'on'], { stdin: '91\n' });
    expect(knobs(fake)).toEqual([{ thinking: { type: 'enabled' }, reasoning_effort: 'low' }]);
    fake.task({ kind: 'image', id: 'job-6', states: ['PROCESSING'] });
    const over = await modelsvc(['jobs', 'wait', 'job-6', '--interval', '100ms', '--max-wait', '300ms', '--service-rules', 'on']);
    expect(over.stderr).toContain('--service-rules on');
  });

  it('a value out of range is refused before it is sent', async () => {
    const { fake, modelsvc } = await withFake();
    expect((await modelsvc(['chat', 'hi', '-t', '7', '--service-rules', 'on'])).code).toBe(2);
    expect(fake.requests).toHaveLength(0);
  });
});
