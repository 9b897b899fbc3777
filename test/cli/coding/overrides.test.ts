// What comes before the files of a wired tool: found by the paths of a parsed document, in each place from the working folder to the Git root.
import { mkdir } from 'node:fs/promises';
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
    ['codex', 'project/.codex/config.toml', '"model" = "x"\n'],
    ['codex', 'project/.codex/config.toml', '"mod\\u0065l_provider" = "x"\n'],
    ['codex', '.codex/config.toml', 'profiles = { modelsvc = { model = "x" } }\n'],
    ['codex', '.codex/config.toml', "profile = 'modelsvc'\n"],
    ['opencode', 'project/opencode.json', '{"mod\\u0065l":"a/b"}'],
    ['opencode', 'project/opencode.json', '{"agent":{"build":{"model":"a/b"}}}'],
    ['opencode', 'project/.opencode/opencode.jsonc', '{"small_model":"a/b"}'],
    ['opencode', 'project/opencode.json', '{"disabled_providers":["modelsvc"]}'],
    ['opencode', '.opencode/opencode.jsonc', '{"model":"a/b"}'],
    ['claude-code', 'project/.claude/settings.json', '{"env":{"ANTHROPIC_API_KEY":"x"}}'],
    ['claude-code', 'project/.claude/settings.json', '{"env":{"ANTHROPIC_MODEL":"claude-x-5"}}'],
    ['claude-code', 'project/.claude/settings.json', '{"model":"claude-x-5"}'],
    ['kilo', 'project/.kilo/kilo.jsonc', '{"provider":{"modelsvc":{"options":{"baseURL":"https://other.example"}}}}'],
    ['crush', '.local/share/crush/crush.json', '{"models":{"large":{"provider":"openai","model":"x"}}}'],
    ['qwen', 'project/.qwen/settings.json', '{"model":{"name":"x"}}'],
    ['qwen', 'project/.env', 'export SVC_API_KEY=x\n'],
    ['aider', 'project/.aider.conf.yml', 'sonnet: true\n'],
    ['aider', 'project/.aider.conf.yml', '"model": x\n'],
    ['zed', 'project/.zed/settings.json', '{"agent":{"default_model":{"provider":"x","model":"y"}}}'],
    ['droid', 'project/.factory/settings.local.json', '{"customModels":[{"model":"x"}]}'],
    ['pi', 'project/.pi/settings.json', '{"defaultModel":"x"}'],
  ])('%s: %s with %s', async (tool, file, text) => {
    const user = await loaded(tool);
    await user.put(file, text);
    const { code, said } = await doctor(user, tool);
    expect(said).toContain(`${user.at(file)} exists, and `);
    expect(code).toBe(1);
  });

  test.each<[string, string, string]>([
    ['claude-code', '.claude/settings.json', '{"apiKeyHelper":"x"}'],
    ['codex', '.codex/config.toml', 'model = "x"\n'],
    ['opencode', 'opencode.json', '{"model":"a/b"}'],
    ['kilo', 'kilo.json', '{"model":"a/b"}'],
    ['crush', '.crush.json', '{"models":{"large":{"model":"x"}}}'],
    ['droid', '.factory/settings.json', '{"model":"x"}'],
    ['pi', '.pi/settings.json', '{"defaultProvider":"x"}'],
    ['qwen', '.qwen/settings.json', '{"model":{"name":"x"}}'],
    ['aider', '.aider.conf.yml', 'model: x\n'],
    ['zed', '.zed/settings.json', '{"agent":{"default_model":{"model":"y"}}}'],
  ])('%s: %s at the root of the Git repository, and none above it', async (tool, name, text) => {
    const user = await loaded(tool);
    const deep = user.at('project/packages/one');
    await mkdir(deep, { recursive: true });
    await user.put(`project/${name}`, text);
    expect(await doctor(user, tool, deep), 'no repository').toMatchObject({ code: 0 });
    await mkdir(user.at('project/.git'));
    const { code, said } = await doctor(user, tool, deep);
    expect(said).toContain(`${user.at('project', name)} exists, and `);
    expect(code).toBe(1);
    await mkdir(user.at('project/packages/.git'));
    expect(await doctor(user, tool, deep), 'outside of the repository').toMatchObject({ code: 0 });
  });

  test.each<[string, string, string, string, string]>([
    ['opencode', '.config/opencode/opencode.json', '.config/opencode/opencode.jsonc', '{"model":"a/b"}', '{}'],
    ['kilo', '.config/kilo/kilo.json', '.config/kilo/opencode.jsonc', '{"model":"a/b"}', '{}'],
    ['aider', '.aider.conf.yaml', '.aider.conf.yml', 'model: x\n', 'dark-mode: true\n'],
  ])('%s: a file that is made after load and comes before %s', async (tool, own, later, text, harmless) => {
    const user = await codingHome();
    await user.put(own, harmless);
    await user.ok(['coding', 'load', tool, '--yes', '--no-check', '--account', 'work'], { env });
    await user.put(later, harmless);
    expect(await doctor(user, tool)).toMatchObject({ code: 0 });
    await user.put(later, text);
    const { code, said } = await doctor(user, tool);
    expect(said).toContain(`${user.at(later)} exists, and it comes before`);
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
