// A wired tool follows its account, or the change names it, and `coding doctor` finds it: each change of an account with each form of wiring.
import { readFile, rm, symlink } from 'node:fs/promises';
import { fakeKey, startFakeService } from 'modelsvc/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { program } from '../support/run.ts';
import { addAccount, type CodingHome, codingHome, key, otherKey } from './support/home.ts';

const newKey = '0123456789abcdef0123456789abcdef.QRST5432109876uv';

/** The variables from which the tools read the key. */
function variables(text: string): Readonly<Record<string, string>> {
  return { SVC_API_KEY: text, MODELSVC_API_KEY: text, ZHIPU_API_KEY: text };
}

type Form = readonly [tool: string, part: 'load' | 'mcp', keyMode: 'helper' | 'env' | 'plain'];

const forms: readonly Form[] = [
  ['claude-code', 'load', 'helper'],
  ['claude-code', 'load', 'plain'],
  ['codex', 'load', 'helper'],
  ['crush', 'load', 'env'],
  ['opencode', 'load', 'plain'],
  ['cline', 'load', 'env'],
  ['pi', 'load', 'plain'],
  ['zed', 'load', 'env'],
  ['crush', 'mcp', 'helper'],
  ['claude-code', 'mcp', 'plain'],
  ['cursor', 'mcp', 'env'],
];

async function wired([tool, part, keyMode]: Form): Promise<CodingHome> {
  const user = await codingHome();
  await user.put('.cursor/keep', '');
  const command = part === 'load' ? ['load', tool, '--no-check'] : ['mcp', 'add', tool, '--server', 'search', '--server', 'vision'];
  await user.ok(['coding', ...command, '--key-mode', keyMode, '--yes']);
  expect((await doctor(user, tool, key)).code).toBe(0);
  return user;
}

/** The doctor, in a shell whose variables have a key. */
async function doctor(user: CodingHome, tool: string, text: string): Promise<{ readonly code: number | undefined; readonly stdout: string }> {
  const { code, stdout, stderr } = await user.sh(['coding', 'doctor', tool], { env: variables(text) });
  for (const secret of [key, otherKey, newKey]) expect(stdout + stderr).not.toContain(secret);
  return { code, stdout };
}

interface Change {
  readonly commands: readonly (readonly string[])[];
  readonly stdin?: string;
  /** Clauses of the note, and the doctor's findings. */
  readonly clauses: readonly string[];
  /** The key of the account after it; without one, the advice leads to no wiring with the account. */
  readonly after?: string;
  readonly isUnloaded?: boolean;
}

const again = ['accounts', 'add', 'work', '--replace', '--no-validate'];
const gone = 'which is gone';
const another = 'which has another key now';

const changes: Readonly<Record<string, Change>> = {
  'another key': { commands: [[...again, '--kind', 'plan']], stdin: newKey, clauses: [another], after: newKey },
  'a key of the other region': {
    commands: [[...again, '--kind', 'plan', '--region', 'china']],
    stdin: newKey,
    clauses: [
      another,
      'which is for https://open.bigmodel.cn/api/paas/v4 now, not for https://api.z.ai/api/paas/v4',
      'whose key may not go to https://api.z.ai any more',
    ],
    after: newKey,
  },
  'the same key at a gateway': {
    commands: [[...again, '--kind', 'plan', '--base-url', 'https://gateway.example/v1']],
    stdin: key,
    clauses: ['which is for https://gateway.example/v1 now, not for', 'whose key may not go to https://api.z.ai any more'],
    after: key,
  },
  'another kind': { commands: [[...again, '--kind', 'payg']], stdin: key, clauses: ['which is of kind payg now, not plan'], after: key },
  'a permission taken back': {
    commands: [['accounts', 'allow-host', 'work', 'https://api.z.ai', '--remove']],
    clauses: ['whose key may not go to https://api.z.ai any more'],
  },
  'another name': { commands: [['accounts', 'rename', 'work', 'office']], clauses: [gone], after: key },
  'a name that another account takes': {
    commands: [
      ['accounts', 'remove', 'work', '--yes'],
      ['accounts', 'rename', 'other', 'work'],
    ],
    clauses: [another],
    after: otherKey,
  },
  'a removal': { commands: [['accounts', 'remove', 'work', '--yes']], clauses: [gone], isUnloaded: true },
  'an import': { commands: [['accounts', 'import', 'accounts.json', '--replace']], clauses: [another], after: newKey },
};

const table = Object.keys(changes).flatMap((name) => forms.map((form) => [name, ...form] as const));

test.each(table)('%s is said and found: %s, %s, key by %s', async (name, ...form) => {
  const [tool] = form;
  const user = await wired(form);
  const { commands, stdin, clauses, after, isUnloaded = false } = changes[name] as Change;
  const account = { region: 'global', kind: 'plan', apiKey: newKey };
  await user.put('project/accounts.json', JSON.stringify({ version: 1, accounts: { work: account } }));
  let said = '';
  for (const command of commands) said = (await user.ok(command, stdin === undefined ? {} : { stdin: `${stdin}\n` })).stderr;
  for (const clause of clauses) expect(said).toContain(clause);
  expect(said).toContain(`modelsvc: ${tool} is wired with account work, `);
  const found = await doctor(user, tool, after ?? key);
  expect(found.code).toBe(1);
  for (const clause of clauses) expect(found.stdout).toContain(` is wired with account work, ${clause}`);
  const noted = (await user.ok(['coding', 'status', tool])).stderr;
  for (const clause of clauses) expect(noted).toContain(`${tool}: it is wired with account work, ${clause}`);
  if (after === undefined && !isUnloaded) return;
  const [, advice = ''] = /`modelsvc (coding [^`]*)`/.exec(said) ?? [];
  await user.ok([...advice.split(' '), '--yes', ...(advice.includes(' load ') ? ['--no-check'] : [])]);
  if (isUnloaded) expect((await user.record()).entries).toEqual([]);
  else expect(await doctor(user, tool, after ?? key)).toMatchObject({ code: 0 });
});

test.each<[string, ...string[]]>([
  ['the same key again', ...again, '--kind', 'plan'],
  ['the same key, of a kind that was not asked for', ...again],
  ['a further host', 'accounts', 'allow-host', 'work', 'https://gateway.example'],
  ['another account', 'accounts', 'rename', 'other', 'spare'],
  ['the account that is in use', 'accounts', 'use', 'work'],
])('a change that the tool follows is not an alarm: %s', async (_, ...command) => {
  const user = await wired(['claude-code', 'load', 'helper']);
  expect((await user.ok(command, { stdin: `${key}\n` })).stderr).toBe('');
  expect(await doctor(user, 'claude-code', key)).toMatchObject({ code: 0 });
});

test.each([[['accounts', 'use', 'other']], [['config', 'set', 'account', 'other']]])(
  '%j names which tools keep their account, and how they get the other',
  async (command) => {
    const user = await wired(['claude-code', 'load', 'helper']);
    await user.ok(['coding', 'mcp', 'add', 'crush', '--server', 'reader', '--yes']);
    expect((await user.ok(command)).stderr).toBe(
      'claude-code, crush are still wired with account work. Run `modelsvc coding load claude-code --account other` and `modelsvc coding mcp add crush --server reader --account other`.\n',
    );
    expect(await doctor(user, 'claude-code', key)).toMatchObject({ code: 0 });
  },
);

test.each(forms.filter(([, , mode]) => mode === 'helper'))('the program that the line calls is gone: %s, %s', async (...form) => {
  const [tool, part] = form;
  const user = await codingHome();
  await symlink(program, user.at('bin/modelsvc'));
  const command = part === 'load' ? ['load', tool, '--no-check'] : ['mcp', 'add', tool];
  await user.ok(['coding', ...command, '--key-mode', 'helper', '--yes']);
  expect(await doctor(user, tool, key)).toMatchObject({ code: 0 });
  await rm(user.at('bin/modelsvc'));
  const { code, stdout } = await doctor(user, tool, key);
  expect(code).toBe(1);
  expect(stdout).toContain('whose key it gets from modelsvc, which is not this program');
});

test('a variable with an earlier key of the account is a problem, also once the tool is wired again', async () => {
  const user = await wired(['opencode', 'load', 'env']);
  await user.ok(again, { stdin: `${newKey}\n` });
  await user.ok(['coding', 'load', 'opencode', '--yes', '--no-check']);
  const { code, stdout } = await doctor(user, 'opencode', key);
  expect(code).toBe(1);
  expect(stdout).toContain('OpenCode reads its key from SVC_API_KEY, which contains another key than account work');
  expect(await doctor(user, 'opencode', newKey)).toMatchObject({ code: 0 });
});

test("a key whose kind is unknown is wired as a plan's key", async () => {
  const user = await codingHome({ account: false });
  await addAccount(user, 'work', key, '--note', 'x');
  await user.ok(['coding', 'load', 'claude-code', '--yes', '--no-check']);
  const kind = async (name: string): Promise<string> => (await user.ok([...again, '--kind', name], { stdin: `${key}\n` })).stderr;
  expect(await kind('plan')).toBe('');
  expect(await doctor(user, 'claude-code', key)).toMatchObject({ code: 0 });
  expect(await kind('payg')).toContain('claude-code is wired with account work, which is of kind payg now, not unknown.');
  expect(await doctor(user, 'claude-code', key)).toMatchObject({ code: 1 });
});

test('a kind that `validate` finds is said, if the tool would be wired in another way with it', async () => {
  const fake = await startFakeService();
  onTestFinished(() => fake.close());
  fake.answer('quota.getLimit', { body: { code: 200, success: true, data: {} } });
  const user = await codingHome({ account: false });
  await addAccount(user, 'work', fakeKey, '--base-url', fake.url);
  await user.ok(['coding', 'load', 'claude-code', '--yes', '--no-check']);
  const { stderr } = await user.ok(['accounts', 'validate', 'work']);
  expect(stderr).toContain('claude-code is wired with account work, which is of kind payg now, not unknown.');
  expect(await doctor(user, 'claude-code', key)).toMatchObject({ code: 1 });
});

test('the record has a fingerprint of the key, and never the key', async () => {
  const user = await wired(['crush', 'load', 'helper']);
  const text = await readFile(user.at('.config/modelsvc/coding.json'), 'utf8');
  expect(text).not.toContain(key);
  expect((await user.record()).entries).toMatchObject([
    {
      account: 'work',
      key: expect.stringMatching(/^sha256:[0-9a-f]{8}$/),
      home: 'https://api.z.ai/api/paas/v4',
      kind: 'plan',
      root: 'https://api.z.ai/api/coding/paas/v4',
      program: expect.stringContaining('main.js'),
    },
  ]);
});

describe('accounts token --for', () => {
  const token = ['accounts', 'token', 'work', '--for', 'https://api.z.ai'];

  test('prints the key while it may go to the host, and refuses once it may not', async () => {
    const user = await codingHome();
    expect((await user.ok(token)).stdout).toBe(`${key}\n`);
    await user.ok([...again, '--region', 'china'], { stdin: `${newKey}\n` });
    const { code, stdout, stderr } = await user.sh(token);
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(stderr).toContain('account work is bound to https://open.bigmodel.cn; its key is not printed for https://api.z.ai');
    expect(stderr).not.toContain(newKey);
    expect((await user.ok(['accounts', 'token', 'work'])).stdout).toBe(`${newKey}\n`);
    await user.ok(['accounts', 'allow-host', 'work', 'https://api.z.ai']);
    expect((await user.ok(token)).stdout).toBe(`${newKey}\n`);
  });

  test('takes any URL of the host, and no other text', async () => {
    const { ok, sh } = await codingHome();
    expect((await ok(['accounts', 'token', 'work', '--for', 'https://api.z.ai/api/anthropic'])).stdout).toBe(`${key}\n`);
    for (const text of ['', 'api.z.ai', 'http://api.z.ai', 'https://user:word@api.z.ai']) {
      const { code, stdout } = await sh(['accounts', 'token', 'work', '--for', text]);
      expect({ text, code, stdout }).toEqual({ text, code: 2, stdout: '' });
    }
    for (const text of ['https://api.z.ai:8443', 'https://api.z.ai.example'])
      expect((await sh(['accounts', 'token', 'work', '--for', text])).code).toBe(3);
  });

  test('needs an account: the host of another key is not stored', async () => {
    const { sh } = await codingHome();
    const { code, stdout, stderr } = await sh(['accounts', 'token', '--for', 'https://api.z.ai'], { env: { SVC_API_KEY: key } });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('--for needs a stored account; this key comes from SVC_API_KEY');
  });

  test('the line in the settings of a tool is refused by a shell once the key is of another region', async () => {
    const user = await codingHome({ isProcess: true });
    await user.ok(['coding', 'load', 'claude-code', '--yes', '--no-check']);
    const { apiKeyHelper } = JSON.parse(await readFile(user.at('.claude/settings.json'), 'utf8')) as { readonly apiKeyHelper: string };
    const { spawnSync } = await import('node:child_process');
    const asked = (): { readonly status: number | null; readonly stdout: string } =>
      spawnSync(apiKeyHelper, { shell: true, encoding: 'utf8', env: { ...user.env } });
    expect(asked()).toMatchObject({ status: 0, stdout: `${key}\n` });
    await user.ok([...again, '--region', 'china'], { stdin: `${newKey}\n` });
    expect(asked()).toMatchObject({ status: 3, stdout: '' });
  });
});
