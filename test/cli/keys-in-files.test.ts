// A key that is in a wrong place of a file is in no report.
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { newHome, withFake } from './support/in-process.ts';

const key = '0123456789abcdef0123456789abcdef.ABCDEFGHIJ123456';
const json = (value: unknown): string => JSON.stringify(value);

test.each<[file: string, text: string, args: readonly string[]]>([
  ['config.json', json({ [key]: 1 }), ['config', 'list']],
  ['config.json', json({ version: 1, settings: { [key]: 1 } }), ['chat', 'hi']],
  ['config.json', json({ version: 1, settings: { model: { [key]: 1 } } }), ['chat', 'hi']],
  ['config.json', json({ version: 1, settings: { temperature: key } }), ['chat', 'hi']],
  ['config.json', json({ version: 1, settings: { effort: key } }), ['chat', 'hi']],
  ['config.json', `{"${key}`, ['chat', 'hi']],
  ['models.yaml', `${key}: 1\n`, ['models', 'list']],
  ['models.yaml', `models:\n- id: x\n  ${key}: 1\n`, ['models', 'list']],
  ['models.yaml', `models:\n- ${key}\n`, ['models', 'list']],
  ['models.yaml', `models: [${key}\n`, ['models', 'list']],
  ['accounts.json', json({ [key]: 1 }), ['accounts', 'list']],
  ['accounts.json', json({ version: 1, accounts: { [key]: 1 } }), ['accounts', 'list']],
  ['accounts.json', json({ version: 1, accounts: [{ name: key, [key]: 1 }] }), ['chat', 'hi', '--account', 'work']],
  ['templates/t.yaml', `${key}: 1\n`, ['chat', '-t', 't', 'hi']],
  ['templates/t.yaml', `${key}: 1\n`, ['templates', 'list']],
  ['conversations/c.json', json({ [key]: 1 }), ['conversations', 'list']],
  ['conversations/c.json', json({ version: 1, messages: [{ [key]: key }] }), ['chat', '--continue', 'c', 'hi']],
  ['templates/t.yaml', `system: [${key}]\n`, ['chat', '-t', 't', 'hi']],
])('%s with %s', async (file, text, args) => {
  const { modelsvc } = await withFake();
  const home = await newHome();
  const path = join(home, '.config/modelsvc', file);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text, { mode: 0o600 });
  for (const more of [[], ['--json']]) {
    const { stdout, stderr, code } = await modelsvc([...args, ...more], { env: { HOME: home } });
    expect([stdout + stderr, code]).toEqual([expect.not.stringContaining(key), expect.any(Number)]);
    expect(stdout + stderr).not.toMatch(/0123456789abcdef0123|ABCDEFGHIJ/);
  }
});

test.each([['chat', 'hi'], ['doctor']])('%s shows no password of an entry of NO_PROXY', async (...args) => {
  const { fake, modelsvc } = await withFake();
  for (const entry of ['http://user:hidden-word@other.test:8080', 'user:hidden-word@other.test', '*.x,user:hidden@word@other.test/x']) {
    const { stdout, stderr } = await modelsvc(args, { env: { http_proxy: fake.url, no_proxy: `127.0.0.1.test,${entry}` } });
    expect(stdout + stderr).not.toMatch(/hidden|user/);
  }
});
