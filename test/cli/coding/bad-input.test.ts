// Bad input: one clear line with the next step, the right exit code, no file changed, no key shown.
import { execFileSync } from 'node:child_process';
import { mkdir, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { addAccount, type CodingHome, codingHome, key, otherKey } from './support/home.ts';

interface Refusal {
  readonly code: number;
  readonly says: string | RegExp;
  /** The second line. Absent: there is none, because the first is enough. */
  readonly next?: string | RegExp;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs a command that must fail without a trace. */
async function refused(user: CodingHome, args: readonly string[], { code, says, next, env = {} }: Refusal): Promise<void> {
  const before = await user.wholeTree();
  const ended = await user.sh(['coding', ...args], { env });
  expect(ended, ended.stderr).toMatchObject({ code, stdout: '' });
  // A warning about the terms of the plan comes first.
  const lines = ended.stderr
    .trimEnd()
    .split('\n')
    .filter((line) => !/^modelsvc: \w+ is not on the plan's list of tools/.test(line));
  expect(lines, 'one line, and the next step').toHaveLength(next === undefined ? 1 : 2);
  expect(lines[0]).toMatch(/^modelsvc: /);
  if (typeof says === 'string') expect(lines[0]).toContain(says);
  else expect(lines[0]).toMatch(says);
  if (typeof next === 'string') expect(lines[1]).toContain(next);
  else if (next) expect(lines[1]).toMatch(next);
  for (const secret of [key, otherKey, 'CANARY']) expect(ended.stderr).not.toContain(secret);
  expect(await user.wholeTree(), 'no file is changed').toEqual(before);
}

const load = (...tools: string[]): string[] => ['load', ...tools, '--yes', '--no-check'];

describe('tools', () => {
  test.each<[string, readonly string[], Refusal]>([
    ['an unknown tool', load('claude'), { code: 4, says: '"claude"; did you mean claude-code?', next: 'coding tools' }],
    ['a tool of another kind', load('vim'), { code: 4, says: 'no coding tool has the name "vim"', next: 'coding tools' }],
    ['a tool without its name', load(), { code: 2, says: 'TOOL', next: /coding tools|--help/ }],
    ['a GUI tool', load('cursor'), { code: 2, says: 'Cursor keeps its settings out of reach', next: 'coding guide cursor' }],
    ['a tool that is no more', load('roo-code'), { code: 4, says: 'no coding tool has the name "roo-code"', next: 'coding tools' }],
    ['a known and an unknown tool', load('codex', 'nope'), { code: 4, says: '"nope"', next: 'coding tools' }],
    ['a tool that is not wired', ['unload', 'codex', '--yes'], { code: 4, says: 'Codex is not wired', next: 'coding status' }],
    ['servers of a tool that has none', ['mcp', 'remove', 'codex', '--yes'], { code: 4, says: 'Codex has no such MCP server', next: 'mcp list' }],
    ['a guide of a tool that needs none', ['guide', 'codex'], { code: 2, says: 'Codex needs no steps by hand', next: 'coding load codex' }],
    ['a run of a tool that reads only files', ['run', 'droid'], { code: 2, says: 'reads its wiring only from files', next: 'coding load droid' }],
    ['a run of a GUI tool', ['run', 'trae'], { code: 2, says: 'reads its wiring only from its own settings', next: 'coding guide trae' }],
    ['a key mode it has not', [...load('goose'), '--key-mode', 'plain'], { code: 2, says: 'cannot take its key by plain', next: '--key-mode env' }],
    ['a helper it does not have', [...load('opencode'), '--key-mode', 'helper'], { code: 2, says: 'by helper', next: '--key-mode env or' }],
    ['a mode that does not exist', [...load('codex'), '--key-mode', 'x'], { code: 2, says: 'key-mode must be helper, env or plain' }],
    ['both endpoints', [...load('crush'), '--plan-endpoint', '--general-endpoint'], { code: 2, says: 'exclude each other' }],
  ])('%s', async (_, args, refusal) => {
    await refused(await codingHome(), args, refusal);
  });

  test('a tool that is not installed', async () => {
    const user = await codingHome();
    await rm(user.at('bin', 'codex'));
    await refused(user, load('codex'), { code: 4, says: 'no program codex on the PATH', next: 'No file was changed. Install it' });
    await refused(user, load('claude-code', 'codex'), { code: 4, says: 'Codex is not on this machine', next: 'Install it' });
    await refused(user, ['run', 'codex'], { code: 4, says: 'no program codex on the PATH', next: 'Install it' });
    await mkdir(user.at('.codex'));
    await user.ok(['coding', ...load('codex')]);
  });
});

const file = '.config/opencode/opencode.json';

describe('files', () => {
  test.each<[string, (user: CodingHome) => Promise<unknown>, string, string]>([
    ['a directory', ({ at }) => mkdir(at(file), { recursive: true }), 'is a directory', 'Move it away.'],
    ['a read-only file', ({ put }) => put(file, '{}', 0o444), 'is read-only', 'Allow writing with `chmod u+w /'],
    ['a dangling link', (user) => linked(user, 'nowhere.json'), 'is a symbolic link to a file that does not exist', 'Remove the link'],
    ['a loop of links', (user) => linked(user, file), 'is a symbolic link that leads to itself', 'Remove the link'],
    ['a link to a pipe', (user) => linked(user, 'pipe'), 'is not a regular file', 'Move it away.'],
    ['text in Latin-1', ({ put }) => put(file, Buffer.from('{ "a": "\xfc" }', 'latin1')), 'is not UTF-8 text', 'Convert it'],
    ['text in UTF-16', ({ put }) => put(file, Buffer.from('\uFEFF{}', 'utf16le')), 'is not UTF-8 text', 'Convert it'],
    ['50 MB', large, 'has 50000000 bytes', 'Move it away'],
    ['broken JSON', ({ put }) => put(file, `{ "key": "${key}" "a": 1 }`), 'line 1', 'Repair the file'],
    ['no object', ({ put }) => put(file, '[1]'), file, 'Write `{}` there, or remove the value.'],
    ['a value of another type on the way', ({ put }) => put(file, '{ "provider": "x" }'), 'provider', 'Write `{}` there, or remove the value.'],
    ['a file in place of its folder', ({ put }) => put('.config/opencode', 'x'), 'a part of its path is a file', 'Move that file away.'],
  ])('%s', async (_, prepare, says, next) => {
    const user = await codingHome();
    await prepare(user);
    await refused(user, load('opencode'), { code: 1, says, next: `No file was changed. ${next}` });
    await refused(user, load('claude-code', 'opencode'), { code: 1, says, next });
    await refused(user, ['mcp', 'add', 'opencode', '--yes'], { code: 1, says: says === 'provider' ? '' : says, next: '' }).catch((error: unknown) => {
      // Servers are at another place in the file.
      if (!['provider', 'model'].includes(says)) throw error;
    });
  });

  test.each<[string, string, string, string, string, string?]>([
    ['TOML', 'codex', '.codex/modelsvc.config.toml', 'token = q7CANARYz9\n', 'line 1'],
    ['TOML with a key twice', 'codex', '.codex/modelsvc.config.toml', 'a.q7CANARYz9 = 1\na.q7CANARYz9 = 1\n', 'line 2'],
    ['TOML with a table twice', 'codex', '.codex/modelsvc.config.toml', '["q7CANARYz9"]\n["q7CANARYz9"]\n', 'line 2'],
    ['YAML', 'aider', '.aider.conf.yml', 'token: "q7CANARYz9\n- x', 'line'],
    ['YAML with an alias of no anchor', 'aider', '.aider.conf.yml', 'token: *q7CANARYz9\n', 'an alias has no anchor'],
    ['JSON with a word', 'crush', '.config/crush/crush.json', '{"token": q7CANARYz9}', 'line 1'],
    ['YAML with two documents', 'aider', '.aider.conf.yml', 'a: 1\n---\nb: 2\n', 'document', 'Leave one document in it.'],
    ['YAML that is a list', 'continue', '.continue/config.yaml', '- a\n', 'config.yaml', 'Write a map there, or remove the value.'],
    ['a comment for a strict tool', 'claude-code', '.claude/settings.json', '{ // mine\n}', 'line 1'],
    ['a comma too many for a strict tool', 'crush', '.config/crush/crush.json', '{ "a": 1, }', 'line 1'],
    ['text for an object', 'claude-code', '.claude/settings.json', '{ "env": "q7CANARYz9" }', 'env', 'Write `{}` there, or remove'],
    ['an object in place of a list', 'continue', '.continue/config.yaml', 'models: { a: 1 }\n', 'models', 'Write a list there, or remove the value.'],
    ['an anchor', 'continue', '.continue/config.yaml', 'models: &q7CANARYz9\n  - a: x\nb: *q7CANARYz9\n', 'an anchor', 'Remove the anchor'],
    ['an alias on the way', 'continue', '.continue/config.yaml', 'm: &m []\nmodels: *m\n', 'an alias', 'Write the value of the anchor'],
    [
      'a merge key on the way',
      'aider',
      '.aider.conf.yml',
      'm: &q7CANARYz9 {a: 1}\n<<: *q7CANARYz9\n',
      'a merge key',
      'Write the keys that it merges',
    ],
    ['a tag on the way', 'continue', '.continue/config.yaml', 'models: !q7CANARYz9\n  - name: x\n', 'a tag', 'Remove the tag.'],
    ['a key twice', 'aider', '.aider.conf.yml', 'model: q7CANARYz9\nmodel: b\n', 'a key twice', 'Remove one of them.'],
    ['a value for a table', 'codex', '.codex/modelsvc.config.toml', 'model_providers = 1\n', 'model_providers', 'Write a table there, or remove'],
  ])('%s', async (_, tool, path, text, says, cure = 'Repair the file.') => {
    const user = await codingHome();
    await user.put(path, text);
    await refused(user, load(tool), { code: 1, says, next: `No file was changed. ${cure}` });
    await refused(user, load('zed', tool), { code: 1, says: user.at(path), next: 'No file was changed.' });
  });

  test('the file broke after load: unload names it and restores no other', async () => {
    const user = await codingHome();
    await user.ok(['coding', ...load('claude-code')]);
    await user.put('.claude/settings.json', '{ broken');
    await refused(user, ['unload', 'claude-code', '--yes'], { code: 1, says: user.at('.claude/settings.json'), next: 'Repair the file' });
    expect(JSON.parse((await user.ok(['coding', 'status', '--json'])).stdout)).toMatchObject([{ state: 'unreadable' }, { state: 'set' }]);
  });
});

async function large({ put, at }: CodingHome): Promise<void> {
  await put(file, '{}');
  await truncate(at(file), 50e6);
}

async function linked({ at }: CodingHome, target: string): Promise<void> {
  execFileSync('sh', ['-c', 'mkfifo "$1"', 'sh', at('pipe')]);
  await mkdir(at('.config/opencode'), { recursive: true });
  await symlink(at(target), at(file));
}

describe('keys, endpoints and the record', () => {
  test('no account', async () => {
    const user = await codingHome({ account: false });
    await refused(user, load('codex'), { code: 3, says: 'no API key', next: 'accounts add' });
    await refused(user, ['run', 'codex'], { code: 3, says: 'no API key', next: 'accounts add' });
    const env = { SVC_API_KEY: key };
    await refused(user, [...load('codex'), '--key-mode', 'helper'], { code: 2, says: 'needs a stored account', next: 'accounts add', env });
    await user.ok(['coding', ...load('codex')], { env });
  });

  test('a tool that the vendor does not list gets the general endpoint, with a warning', async () => {
    const user = await codingHome();
    const { stderr, stdout } = await user.ok(['coding', ...load('aider')]);
    expect(stderr).toContain("Aider is not on the plan's list of tools: it gets the general endpoint, which is billed by use");
    expect(stdout).toContain('https://api.z.ai/api/paas/v4');
    const planned = await user.ok(['coding', ...load('aider'), '--plan-endpoint']);
    expect(planned.stderr).toContain('may throttle, freeze or ban the account');
    expect(planned.stdout).toContain('https://api.z.ai/api/coding/paas/v4');
    const root = 'https://api.z.ai/api/coding/paas/v4';
    await refused(user, [...load('aider'), '--base-url', root], { code: 2, says: 'is the coding-plan endpoint', next: '--plan-endpoint' });
  });

  test('a key that is billed by use gets the general endpoint in every tool', async () => {
    const user = await codingHome();
    await addAccount(user, 'payg', 'payg567890abcdef1234567890abcdef.ZYXW9876543210zz', '--kind', 'payg');
    for (const args of [
      [...load('crush'), '--account', 'payg'],
      [...load('crush'), '--general-endpoint'],
    ]) {
      const { stdout, stderr } = await user.ok(['coding', ...args]);
      expect(stdout).toContain('https://api.z.ai/api/paas/v4');
      expect(stderr).toBe('');
    }
  });

  test('a key goes only to the host of its account', async () => {
    const user = await codingHome();
    await addAccount(user, 'lab', 'lab4567890abcdef1234567890abcdef.ZYXW9876543210zz', '--base-url', 'https://gateway.example/v1');
    const bound = { code: 3, says: 'account work is bound to https://api.z.ai', next: 'allow-host work https://evil.example' };
    await refused(user, [...load('crush'), '--base-url', 'https://evil.example/v1'], bound);
    await refused(user, ['mcp', 'add', 'crush', '--yes', '--base-url', 'https://evil.example/v1'], bound);
    await refused(user, ['run', 'opencode', '--base-url', 'https://evil.example/v1'], bound);
    await refused(user, [...load('crush'), '--base-url', 'http://plain.example'], { code: 2, says: 'must begin with https://' });
    await refused(user, [...load('crush'), '--base-url', 'no url'], { code: 2, says: 'must be a URL' });
    await refused(user, ['mcp', 'add', 'crush', '--yes', '--base-url', 'no url'], { code: 2, says: 'must be a URL' });
    expect((await user.ok(['coding', ...load('crush'), '--account', 'lab'])).stdout).toContain('at https://gateway.example/v1');
  });

  test.each([
    ['entries of another form', '{"version":1,"entries":[{"tool":"codex"}],"made":[]}'],
    ['another form', '{"version":1,"entries":{},"made":[]}'],
  ])('a record that has %s stops every command', async (_, text) => {
    const user = await codingHome();
    const path = user.at('.config/modelsvc/coding.json');
    await writeFile(path, text, { mode: 0o600 });
    for (const args of [load('codex'), ['unload', 'codex', '--yes'], ['status'], ['doctor'], ['mcp', 'list']])
      await refused(user, args, { code: 1, says: `${path} is broken`, next: /./ });
  });
});
