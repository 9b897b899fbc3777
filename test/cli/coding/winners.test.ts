// Settings of the same file that would come before the wiring: `load` sets or names each, `doctor` agrees, and `unload` gives it back.
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { expect, test } from 'vitest';
import { wiredTools } from '../../../src/cli/coding/tools/index.ts';
import { parsed, valueAt } from './support/checks.ts';
import { codingHome, key } from './support/home.ts';
import type { Sample } from './support/samples.ts';

interface Row {
  readonly tool: string;
  readonly file: string;
  readonly format: Sample['format'];
  readonly text: string;
  /** Values after `load`, by path. */
  readonly sets?: Readonly<Record<string, unknown>>;
  /** Settings that `load` leaves and names. */
  readonly names?: readonly string[];
  /** The named setting concerns only a part of the tool: `doctor` is content. */
  readonly isPartial?: boolean;
  readonly options?: readonly string[];
}

const claude = { tool: 'claude-code', file: '.claude/settings.json', format: 'json' } as const;
const openCode = { tool: 'opencode', file: '.config/opencode/opencode.json', format: 'jsonc' } as const;
const codex = { tool: 'codex', file: '.codex/modelsvc.config.toml', format: 'toml' } as const;
const codexDefault = { ...codex, file: '.codex/config.toml', options: ['--default'] } as const;
const goose = { tool: 'goose', file: '.config/goose/config.yaml', format: 'yaml' } as const;
const gooseProvider = { tool: 'goose', file: '.config/goose/custom_providers/modelsvc.json', format: 'json' } as const;
const crush = { tool: 'crush', file: '.config/crush/crush.json', format: 'json' } as const;
const qwen = { tool: 'qwen', file: '.qwen/settings.json', format: 'jsonc' } as const;
const aider = { tool: 'aider', file: '.aider.conf.yml', format: 'yaml' } as const;
const zed = { tool: 'zed', file: '.config/zed/settings.json', format: 'jsonc' } as const;
const droid = { tool: 'droid', file: '.factory/settings.json', format: 'jsonc' } as const;
const cline = { tool: 'cline', file: '.cline/data/settings/providers.json', format: 'json' } as const;
const root = 'https://api.z.ai/api/coding/paas/v4';
const general = 'https://api.z.ai/api/paas/v4';

const rows: readonly Row[] = [
  { ...claude, text: '{"env":{"ANTHROPIC_MODEL":"claude-x-5"}}', sets: { 'env/ANTHROPIC_MODEL': 'glm-5.3[1m]' } },
  { ...claude, text: '{"env":{"ANTHROPIC_SMALL_FAST_MODEL":"x"}}', sets: { 'env/ANTHROPIC_SMALL_FAST_MODEL': 'glm-5.3-flash[1m]' } },
  { ...claude, text: '{"env":{"CLAUDE_CODE_SUBAGENT_MODEL":"x"}}', sets: { 'env/CLAUDE_CODE_SUBAGENT_MODEL': 'glm-5.3[1m]' } },
  { ...claude, text: '{"env":{"CLAUDE_CODE_OAUTH_TOKEN":"x"}}', sets: { 'env/CLAUDE_CODE_OAUTH_TOKEN': '' } },
  {
    ...claude,
    text: '{"env":{"ANTHROPIC_API_KEY":"x","ANTHROPIC_CUSTOM_HEADERS":"x: y"}}',
    sets: { 'env/ANTHROPIC_API_KEY': '', 'env/ANTHROPIC_CUSTOM_HEADERS': '' },
  },
  { ...claude, text: '{"model":"anthropic/claude-x-5"}', sets: { model: 'glm-5.3[1m]' } },
  { ...claude, text: '{"model":"opus[1m]","env":{"ANTHROPIC_MODEL":"sonnet"}}', sets: { model: 'opus[1m]', 'env/ANTHROPIC_MODEL': 'sonnet' } },
  { ...claude, text: '{"apiKeyHelper":"other-key"}', sets: { apiKeyHelper: '' }, options: ['--key-mode', 'plain'] },
  { ...claude, text: '{"availableModels":["opus"]}', names: ['availableModels'], isPartial: true },
  { ...codexDefault, text: 'profile = "work"\n[profiles.work]\nmodel = "x"\n', names: ['profile'] },
  { ...codex, text: 'review_model = "x"\n', sets: { review_model: 'glm-5.3' } },
  { ...codex, text: '[model_providers.modelsvc]\nrequires_openai_auth = true\n', sets: { 'model_providers/modelsvc/requires_openai_auth': false } },
  { ...codex, text: '[model_providers.modelsvc]\nenv_key = "OPENAI_API_KEY"\n', names: ['model_providers.modelsvc.env_key'] },
  { ...codex, text: '[model_providers.modelsvc.http_headers]\nx = "y"\n', names: ['model_providers.modelsvc.http_headers'] },
  {
    ...openCode,
    text: '{"agent":{"build":{"model":"a/b"},"plan":{"model":"a/b"}}}',
    sets: { 'agent/build/model': 'modelsvc/glm-5.3', 'agent/plan/model': 'modelsvc/glm-5.3' },
  },
  { ...openCode, text: '{"default_agent":"me","agent":{"me":{"model":"a/b"}}}', sets: { 'agent/me/model': 'modelsvc/glm-5.3' } },
  { ...openCode, text: '{"agent":{"review":{"model":"a/b"}}}', names: ['agent.review.model'], isPartial: true },
  { ...openCode, text: '{"disabled_providers":["modelsvc","x"]}', sets: { disabled_providers: ['x'] } },
  { ...openCode, text: '{"enabled_providers":["x"]}', sets: { enabled_providers: ['x', 'modelsvc'] } },
  { ...openCode, text: '{"provider":{"modelsvc":{"options":{"headers":{"x-key":"y"}}}}}', names: ['provider.modelsvc.options.headers'] },
  { ...openCode, text: '{"provider":{"modelsvc":{"models":{"glm-5.3":{"id":"x"}}}}}', sets: { 'provider/modelsvc/models/glm-5.3/id': 'glm-5.3' } },
  {
    ...openCode,
    tool: 'kilo',
    file: '.config/kilo/kilo.json',
    text: '{"mode":{"code":{"model":"a/b"}}}',
    sets: { 'mode/code/model': 'modelsvc/glm-5.3' },
  },
  { ...crush, text: '{"providers":{"modelsvc":{"disable":true}}}', sets: { 'providers/modelsvc/disable': false } },
  { ...crush, text: '{"providers":{"modelsvc":{"extra_headers":{"x":"y"}}}}', names: ['providers.modelsvc.extra_headers'] },
  { ...droid, text: '{"model":"claude-x"}', names: ['model'] },
  { ...droid, text: `{"customModels":[{"model":"glm-5.3","baseUrl":"${root}","extraHeaders":{"x":"y"}}]}`, names: ['extraHeaders'] },
  { ...cline, text: '{"providers":{"zai-coding-plan":{"settings":{"apiKey":"x"}}}}', names: ['providers.zai-coding-plan.settings.apiKey'] },
  { ...cline, text: '{"providers":{"zai-coding-plan":{"settings":{"headers":{"x":"y"}}}}}', names: ['providers.zai-coding-plan.settings.headers'] },
  {
    ...goose,
    text: 'GOOSE_LEAD_MODEL: gpt-6\nGOOSE_LEAD_PROVIDER: openai\n',
    sets: { GOOSE_LEAD_MODEL: 'glm-5.3', GOOSE_LEAD_PROVIDER: 'modelsvc' },
  },
  { ...goose, text: 'GOOSE_PLANNER_MODEL: gpt-6\n', sets: { GOOSE_PLANNER_MODEL: 'glm-5.3' } },
  { ...gooseProvider, text: '{"fast_model":"x","requires_auth":false}', sets: { fast_model: 'glm-5.3-flash', requires_auth: true } },
  { ...gooseProvider, text: '{"headers":{"x":"y"}}', names: ['headers'] },
  {
    tool: 'pi',
    file: '.pi/agent/settings.json',
    format: 'json',
    text: '{"enabledModels":["a/b"]}',
    sets: { enabledModels: ['a/b', 'modelsvc/glm-5.3'] },
  },
  {
    tool: 'pi',
    file: '.pi/agent/models.json',
    format: 'json',
    text: '{"providers":{"modelsvc":{"headers":{"x":"y"}}}}',
    names: ['providers.modelsvc.headers'],
  },
  {
    ...qwen,
    text: '{"security":{"auth":{"enforcedType":"x"}},"fastModel":"y"}',
    sets: { 'security/auth/enforcedType': 'openai', fastModel: 'glm-5.3-flash' },
  },
  { ...qwen, text: '{"modelProviders":{"openai":[{"id":"glm-5.3","baseUrl":"https://other.example"}]}}', names: ['modelProviders.openai'] },
  {
    ...qwen,
    text: `{"modelProviders":{"openai":[{"id":"glm-5.3","baseUrl":"${general}","generationConfig":{"customHeaders":{"x":"y"}}}]}}`,
    names: ['customHeaders'],
  },
  {
    tool: 'continue',
    file: '.continue/config.yaml',
    format: 'yaml',
    text: 'models:\n  - name: x\n    provider: y\n    model: z\n',
    names: ['models'],
    isPartial: true,
  },
  { ...aider, text: 'sonnet: true\neditor-model: x\n', sets: { sonnet: false, 'editor-model': 'openai/glm-5.3' } },
  { ...aider, text: 'openai-api-key: x\n', names: ['openai-api-key'] },
  { ...aider, text: 'api-key:\n  - openai=x\n  - gemini=y\n', names: ['api-key'] },
  { ...aider, text: 'set-env: [AIDER_MODEL=x]\nopenai-organization-id: x\n', names: ['set-env', 'openai-organization-id'] },
  {
    ...zed,
    text: '{"agent":{"profiles":{"write":{"default_model":{"provider":"a","model":"b"}}}}}',
    sets: { 'agent/profiles/write/default_model/provider': 'modelsvc', 'agent/profiles/write/default_model/model': 'glm-5.3' },
  },
  {
    ...zed,
    text: '{"preview":{"agent":{"default_model":{"provider":"a","model":"b"}}},"disable_ai":true}',
    names: ['preview.agent.default_model', 'disable_ai'],
  },
  { ...zed, text: '{"agent":{"inline_assistant_model":{"provider":"a","model":"b"}}}', names: ['agent.inline_assistant_model'], isPartial: true },
];

test('every wired tool has a row', () => {
  expect(new Set(rows.map(({ tool }) => tool))).toEqual(new Set(wiredTools.map(({ id }) => id)));
});

test.each(rows)('$tool: $file with $text', async ({ tool, file, format, text, sets = {}, names = [], isPartial = false, options = [] }) => {
  const user = await codingHome();
  const env = { SVC_API_KEY: key, ZHIPU_API_KEY: key, AIDER_OPENAI_API_KEY: key, MODELSVC_API_KEY: key };
  await user.put(file, text);
  const load = ['coding', 'load', tool, '--no-check', '--account', 'work', ...options];
  for (const args of [
    [...load, '--dry-run'],
    [...load, '--yes'],
    [...load, '--yes'],
  ]) {
    const { stderr } = await user.ok(args, { env });
    for (const name of names) expect(stderr).toMatch(new RegExp(`${name.replaceAll('.', '\\.')} is set in .*${basename(file)}, and `));
    if (names.length === 0) expect(stderr).not.toContain('is set in');
  }
  const content = parsed(format, await readFile(user.at(file), 'utf8'));
  for (const [path, value] of Object.entries(sets)) expect(valueAt(content, path), path).toEqual(value);
  const { code, stdout } = await user.sh(['coding', 'doctor', tool], { env });
  for (const name of names) expect(stdout).toContain(`${name} is set in`);
  expect(code, stdout).toBe(names.length > 0 && !isPartial ? 1 : 0);
});

test('doctor finds a winner that was set after load, and the next load replaces it', async () => {
  const user = await codingHome();
  await user.ok(['coding', 'load', 'claude-code', '--yes', '--no-check']);
  const file = user.at('.claude/settings.json');
  const text = await readFile(file, 'utf8');
  await user.put('.claude/settings.json', text.replace('{', '{"model": "claude-x-5",'), 0o600);
  const { code, stdout } = await user.sh(['coding', 'doctor', 'claude-code']);
  expect(code).toBe(1);
  expect(stdout).toContain(`model is set in ${file}, and it chooses another model`);
  await user.ok(['coding', 'load', 'claude-code', '--yes', '--no-check']);
  await user.ok(['coding', 'doctor', 'claude-code']);
});
