// Settings that override a wired tool's files are found by path in a parsed document, from the working folder up to the Git root.
import { mkdir, readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { type CodingHome, codingHome, key } from './support/home.ts';

const env = { SVC_API_KEY: key, AIDER_OPENAI_API_KEY: key, MODELSVC_API_KEY: key, ZHIPU_API_KEY: key };

async function loaded(tool: string): Promise<CodingHome> {
  const user = await codingHome();
  await user.ok(['coding', 'load', tool, '--yes', '--no-check', '--account', 'work'], { env });
  return user;
}

async function doctor(user: CodingHome, tool: string, cwd = user.at('project')): Promise<{ readonly code: number; readonly said: string }> {
  const { code, stdout } = await user.sh(['coding', 'doctor', tool], { env, cwd });
  return { code: code ?? -1, said: stdout };
}

describe('no alarm', () => {
  test.each<[string, string, string]>([
    ['codex', 'project/.codex/config.toml', '# model = "x"\n'],
    ['codex', 'project/.codex/config.toml', 'model_reasoning_effort = "high"\n[mcp_servers.models]\ncommand = "x"\n'],
    ['codex', 'project/.codex/config.toml', 'model_context_window = 1000\n'],
    ['codex', '.codex/config.toml', '# [profiles.modelsvc]\nnote = \'profile = "modelsvc"\'\n'],
    ['opencode', 'project/opencode.json', '{"mcp":{"model":{"type":"local","command":["x"]}}} // "model"'],
    ['opencode', 'project/opencode.jsonc', '{/* "model": "x", "provider": {} */}'],
    ['opencode', 'project/opencode.json', '{"provider":{"lab":{"npm":"x"}},"agent":{"review":{"model":"a/b"}}}'],
    ['claude-code', 'project/.claude/settings.json', '{"permissions":{"deny":["Read(ANTHROPIC_BASE_URL)"]},"model":"opus"}'],
    ['claude-code', 'project/.claude/settings.json', '{"env":{"API_TIMEOUT_MS":"1","ANTHROPIC_BASE_URL":"https://api.z.ai/api/anthropic"}}'],
    ['claude-code', 'project/.claude/settings.local.json', '{"env":{"NOTE":"apiKeyHelper"},"model":null}'],
    ['crush', '.local/share/crush/crush.json', '{"models":{},"recent_models":{"large":[{"provider":"modelsvc","model":"x"}]}}'],
    ['crush', '.config/crush/crushrc', '# provider x\nset theme "model"\n'],
    ['pi', '.pi/agent/auth.json', '{"other":{"note":"\\"modelsvc\\""}}'],
    ['qwen', 'project/.qwen/settings.json', '{"ui":{"theme":"modelProviders"},"model":{"skipNextSpeakerCheck":true}}'],
    ['qwen', 'project/.env', '# SVC_API_KEY=x\nMY_SVC_API_KEY=x\n'],
    ['aider', 'project/.aider.conf.yml', '# model: x\nmap-tokens: 1\nread: [model.md]\nmodel-settings-file: x\n'],
    ['aider', 'project/.env', 'NOTE=AIDER_MODEL\n#OPENAI_API_KEY=x\n'],
    ['zed', 'project/.zed/settings.json', '{"languages":{"language_models":{}}} // default_model'],
    ['droid', 'project/.factory/settings.json', '{"theme":"customModels"}'],
    ['goose', 'project/.goosehints', 'GOOSE_MODEL'],
  ])('%s: %s with %s', async (tool, file, text) => {
    const user = await loaded(tool);
    await user.put(file, text);
    expect(await doctor(user, tool)).toMatchObject({ code: 0 });
  });
});

describe('an alarm', () => {
  test.each<[string, string, string]>([
    ['codex', 'project/.codex/config.toml', '"mod\\u0065l_provider" = "x"\n'],
    ['codex', '.codex/config.toml', 'profiles = { modelsvc = { model = "x" } }\n'],
    ['opencode', 'project/opencode.json', '{"mod\\u0065l":"a/b"}'],
    ['opencode', 'project/opencode.json', '{"agent":{"build":{"model":"a/b"}}}'],
    ['opencode', 'project/opencode.json', '{"disabled_providers":["modelsvc"]}'],
    ['claude-code', 'project/.claude/settings.json', '{"forceLoginMethod":"console"}'],
    ['droid', 'project/.factory/settings.local.json', '{"customModels":[{"model":"x"}]}'],
  ])('%s: %s with %s', async (tool, file, text) => {
    const user = await loaded(tool);
    await user.put(file, text);
    const { code, said } = await doctor(user, tool);
    expect(said).toContain(`${user.at(file)} exists, and `);
    expect(code).toBe(1);
  });

  test('at the root of the Git repository, and none above it', async () => {
    const user = await loaded('opencode');
    const deep = user.at('project/packages/one');
    await mkdir(deep, { recursive: true });
    await user.put('project/opencode.json', '{"model":"a/b"}');
    expect(await doctor(user, 'opencode', deep), 'no repository').toMatchObject({ code: 0 });
    await mkdir(user.at('project/.git'));
    const { code, said } = await doctor(user, 'opencode', deep);
    expect(said).toContain(`${user.at('project/opencode.json')} exists, and `);
    expect(code).toBe(1);
    await mkdir(user.at('project/packages/.git'));
    expect(await doctor(user, 'opencode', deep), 'outside of the repository').toMatchObject({ code: 0 });
  });

  test('a profile of Codex with servers of this program in the same file', async () => {
    const user = await loaded('codex');
    await user.ok(['coding', 'mcp', 'add', 'codex', '--yes']);
    const text = await readFile(user.at('.codex/config.toml'), 'utf8');
    await user.put('.codex/config.toml', `profile = "modelsvc"\n${text}`);
    expect((await user.sh(['coding', 'doctor', 'codex'], { env: { ...env, Z_AI_API_KEY: key } })).stdout).toContain('Codex refuses --profile');
  });

  test('a file that is made after load and comes before the wired one', async () => {
    const user = await codingHome();
    await user.put('.aider.conf.yaml', 'dark-mode: true\n');
    await user.ok(['coding', 'load', 'aider', '--yes', '--no-check', '--account', 'work'], { env });
    await user.put('.aider.conf.yml', 'dark-mode: true\n');
    expect(await doctor(user, 'aider')).toMatchObject({ code: 0 });
    await user.put('.aider.conf.yml', 'model: x\n');
    const { code, said } = await doctor(user, 'aider');
    expect(said).toContain(`${user.at('.aider.conf.yml')} exists, and it comes before`);
    expect(code).toBe(1);
  });

  test('a file that comes after the wired one gives none', async () => {
    const user = await codingHome();
    await user.put('.config/opencode/opencode.jsonc', '{}');
    await user.ok(['coding', 'load', 'opencode', '--yes', '--no-check'], { env });
    await user.put('.config/opencode/opencode.json', '{"model":"a/b"}');
    expect(await doctor(user, 'opencode')).toMatchObject({ code: 0 });
  });

  test('a file that is broken is a note, without its text', async () => {
    const user = await loaded('opencode');
    await user.put('project/opencode.json', '{"model": q7CANARYz9');
    const { code, said } = await doctor(user, 'opencode');
    expect(code).toBe(0);
    expect(said).toContain('opencode.json has an unknown word or sign at line 1');
    expect(said).not.toContain('CANARY');
  });
});
