// The output of `coding doctor`, `tools`, `guide`, `status` and dry runs.
import { readFile, rm, writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import type { RecordData } from '../../../src/cli/coding/record.ts';
import { type CodingHome, codingHome, fakeProgram, key, otherKey } from './support/home.ts';
import { samples } from './support/samples.ts';

async function loaded(tool: string, ...more: string[]): Promise<CodingHome> {
  const user = await codingHome();
  await user.ok(['coding', 'load', tool, '--yes', '--no-check', ...more]);
  return user;
}

/** Findings of a run that finds a problem. */
async function problems(user: CodingHome, tool: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
  const { code, stdout, stderr } = await user.sh(['coding', 'doctor', tool], { env });
  expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
  for (const secret of [key, otherKey]) expect(stdout).not.toContain(secret);
  return stdout;
}

describe('coding doctor', () => {
  test('a tool that is in order', async () => {
    const user = await loaded('claude-code');
    const { stdout } = await user.ok(['coding', 'doctor', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({
      ok: true,
      findings: [{ status: 'ok', text: 'Claude Code: wired to https://api.z.ai/api/anthropic' }],
    });
    expect((await user.ok(['coding', 'doctor', 'codex'])).stdout).toContain('Codex is not wired by this program');
    expect((await (await codingHome()).ok(['coding', 'doctor'])).stdout).toContain('No tool is wired');
  });

  test('values that changed or are gone', async () => {
    const user = await loaded('claude-code');
    const file = user.at('.claude/settings.json');
    const text = await readFile(file, 'utf8');
    await writeFile(
      file,
      text
        .replace('https://api.z.ai/api/anthropic', 'https://other.example')
        .replace(/.*API_TIMEOUT_MS.*\n/, '')
        .replace(/,(\s*\})/, '$1'),
    );
    const said = await problems(user, 'claude-code');
    expect(said).toContain(`env.ANTHROPIC_BASE_URL is changed in ${file}`);
    expect(said).toContain(`env.API_TIMEOUT_MS is gone in ${file}`);
    expect(said).toContain('modelsvc coding load claude-code');
  });

  test('a tool that has only MCP servers of this program', async () => {
    const user = await codingHome();
    await user.ok(['coding', 'mcp', 'add', 'opencode', '--yes']);
    const env = { SVC_API_KEY: key };
    expect((await user.ok(['coding', 'doctor', 'opencode'], { env })).stdout).toContain('OpenCode: its MCP servers are in place');
  });

  test('a key with signs of a shell is the key of the account, as Crush has it', async () => {
    const user = await codingHome();
    const signs = 'abcd1234567890$HOME`x"y\\z.ZYXW9876543210zz';
    await user.ok(['accounts', 'add', 'signs', '--no-validate', '--kind', 'plan'], { stdin: `${signs}\n` });
    await user.ok(['coding', 'load', 'crush', '--account', 'signs', '--key-mode', 'plain', '--yes', '--no-check']);
    await user.ok(['coding', 'doctor', 'crush']);
  });

  test('a tool that was removed, and a file that broke', async () => {
    const user = await loaded('aider', '--key-mode', 'plain');
    await rm(user.at('bin/aider'));
    await writeFile(user.at('.aider.conf.yml'), 'a: [\n');
    const said = await problems(user, 'aider');
    expect(said).toContain(user.at('.aider.conf.yml'));
    await rm(user.at('.aider.conf.yml'));
    expect(await problems(user, 'aider')).toContain('Aider is not on this machine any more');
  });
});

function _withAccount(data: RecordData, account: string): object {
  return { version: 1, ...data, entries: data.entries.map((entry) => ({ ...entry, account, key: undefined })) };
}

describe('dry runs', () => {
  test('load shows a diff without the key, and writes no file', async () => {
    const user = await codingHome();
    for (const { file, text } of samples['crush'] ?? [])
      await user.put(file, text.replace('"options"', '"api_key": "user-secret-0123456789", "options"'));
    const before = await user.wholeTree();
    const { stdout } = await user.ok(['coding', 'load', 'crush', '--key-mode', 'plain', '--mcp', '--dry-run']);
    expect(stdout).toContain(`--- ${user.at('.config/crush/crush.json')}\n+++ `);
    expect(stdout).toMatch(/^\+.*"base_url": ?"https:\/\/api\.z\.ai\/api\/coding\/paas\/v4"/m);
    expect(stdout).not.toContain(key);
    expect(stdout).not.toContain('user-secret');
    expect(await user.wholeTree()).toEqual(before);
    const { files } = JSON.parse((await user.ok(['coding', 'load', 'crush', '--dry-run', '--json'])).stdout) as { files: { diff: string }[] };
    expect(files[0]?.diff).toContain('+++');
  });

  test('unload shows what it would restore', async () => {
    const user = await loaded('crush', '--key-mode', 'plain');
    const before = await user.wholeTree();
    const { stdout } = await user.ok(['coding', 'unload', 'crush', '--dry-run']);
    expect(stdout).toContain('+++ /dev/null');
    expect(stdout).not.toContain(key);
    expect(await user.wholeTree()).toEqual(before);
  });
});

test('tools lists each with its path, and what is wired', async () => {
  const user = await loaded('codex');
  await fakeProgram(user.at('bin/goose'), 'exit 1');
  await rm(user.at('bin/zed'));
  const rows = JSON.parse((await user.ok(['coding', 'tools', '--json'])).stdout) as Record<string, unknown>[];
  const row = (id: string): unknown => rows.find(({ tool }) => tool === id);
  expect(row('codex')).toMatchObject({ installed: user.at('bin/codex'), wired: true, by: 'load', plan: true, mcp: true });
  expect(row('goose')).toMatchObject({ installed: user.at('bin/goose'), wired: false });
  expect(row('zed')).toMatchObject({ installed: null, plan: false });
  expect(row('cursor')).toMatchObject({ by: 'guide', mcp: true });
});

test('guide prints steps, with the root of the plan and without an account', async () => {
  const user = await codingHome({ account: false });
  expect((await user.ok(['coding', 'guide', 'cursor'])).stdout).toContain('https://api.z.ai/api/coding/paas/v4');
  expect((await user.ok(['coding', 'guide', 'copilot-cli'])).stdout).toContain('https://api.z.ai/api/paas/v4');
  expect((await user.ok(['coding', 'guide', 'cursor', '--region', 'china'])).stdout).toContain('https://open.bigmodel.cn/api/coding/paas/v4');
});

test('a state file alone is a trace of Claude Code', async () => {
  const user = await codingHome();
  await rm(user.at('bin/claude'));
  expect((await user.sh(['coding', 'load', 'claude-code', '--yes', '--no-check'])).stderr).toContain('.claude.json');
  await user.put('.claude.json', '{}\n');
  await user.ok(['coding', 'load', 'claude-code', '--yes', '--no-check']);
  await user.ok(['coding', 'doctor', 'claude-code']);
});
