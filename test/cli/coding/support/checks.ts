// The values that matter in the files of a wired tool: root, model, and the way to the key.
import { parse as parseJsonc } from 'jsonc-parser';
import { parse as parseToml } from 'smol-toml';
import { parse as parseYaml } from 'yaml';
import type { Sample } from './samples.ts';

export function parsed(format: Sample['format'], bytes: string): unknown {
  const text = bytes.replace(/^\uFEFF/, '');
  if (format === 'json') return JSON.parse(text);
  if (format === 'toml') return parseToml(text, { integersAsBigInt: 'asNeeded' });
  return format === 'yaml' ? parseYaml(text) : parseJsonc(text, [], { allowTrailingComma: true });
}

export interface Check {
  /** File below the home in which the values are, with its format. */
  readonly file: string;
  readonly format: Sample['format'];
  readonly values: Readonly<Record<string, unknown>>;
}

const chat = 'https://api.z.ai/api/coding/paas/v4';
const general = 'https://api.z.ai/api/paas/v4';
const helper = /accounts token work --for https:\/\/api\.z\.ai\)?$/;

/** After `load` with the defaults. Steps of a path are separated by a slash; `name=x` picks an item of a list. */
export const checks: Readonly<Record<string, readonly Check[]>> = {
  'claude-code': [
    {
      file: '.claude/settings.json',
      format: 'json',
      values: {
        apiKeyHelper: helper,
        'env/ANTHROPIC_BASE_URL': 'https://api.z.ai/api/anthropic',
        'env/ANTHROPIC_API_KEY': '',
        'env/ANTHROPIC_DEFAULT_OPUS_MODEL': 'glm-5.3[1m]',
        'env/ANTHROPIC_DEFAULT_HAIKU_MODEL': 'glm-5.3-flash[1m]',
      },
    },
    { file: '.claude.json', format: 'json', values: { hasCompletedOnboarding: true } },
  ],
  codex: [
    {
      file: '.codex/modelsvc.config.toml',
      format: 'toml',
      values: {
        model: 'glm-5.3',
        model_provider: 'modelsvc',
        'model_providers/modelsvc/base_url': 'https://api.z.ai/api/v1',
        'model_providers/modelsvc/wire_api': 'responses',
        'model_providers/modelsvc/auth/args': ['accounts', 'token', 'work', '--for', 'https://api.z.ai'],
      },
    },
  ],
  opencode: [openCode('.config/opencode/opencode.json')],
  kilo: [openCode('.config/kilo/kilo.json')],
  crush: [
    {
      file: '.config/crush/crush.json',
      format: 'json',
      values: {
        'providers/modelsvc/base_url': chat,
        'providers/modelsvc/api_key': helper,
        'models/large/model': 'glm-5.3',
        'models/small/model': 'glm-5.3-flash',
      },
    },
  ],
  droid: [
    {
      file: '.factory/settings.json',
      format: 'jsonc',
      values: { 'customModels/model=glm-5.3/baseUrl': chat, [`customModels/model=glm-5.3/apiKey`]: `\${SVC_API_KEY}` },
    },
  ],
  cline: [
    {
      file: '.cline/data/settings/providers.json',
      format: 'json',
      values: {
        lastUsedProvider: 'zai-coding-plan',
        'providers/zai-coding-plan/settings/baseUrl': chat,
        'providers/zai-coding-plan/settings/model': 'glm-5.3',
        'providers/zai-coding-plan/settings/apiKey': undefined,
      },
    },
  ],
  goose: [
    { file: '.config/goose/config.yaml', format: 'yaml', values: { GOOSE_PROVIDER: 'modelsvc', GOOSE_MODEL: 'glm-5.3' } },
    {
      file: '.config/goose/custom_providers/modelsvc.json',
      format: 'json',
      values: { name: 'modelsvc', base_url: `${chat}/chat/completions`, api_key_env: 'SVC_API_KEY', 'models/name=glm-5.3/context_limit': 1_000_000 },
    },
  ],
  pi: [
    {
      file: '.pi/agent/models.json',
      format: 'json',
      values: {
        'providers/modelsvc/baseUrl': chat,
        'providers/modelsvc/apiKey': helper,
        'providers/modelsvc/models/id=glm-5.3/contextWindow': 1_000_000,
      },
    },
    { file: '.pi/agent/settings.json', format: 'json', values: { defaultProvider: 'modelsvc', defaultModel: 'glm-5.3' } },
  ],
  qwen: [
    {
      file: '.qwen/settings.json',
      format: 'jsonc',
      values: {
        'modelProviders/openai/id=glm-5.3/baseUrl': general,
        'modelProviders/openai/id=glm-5.3/envKey': 'SVC_API_KEY',
        'security/auth/selectedType': 'openai',
        'model/name': 'glm-5.3',
      },
    },
  ],
  continue: [
    {
      file: '.continue/config.yaml',
      format: 'yaml',
      values: { 'models/model=glm-5.3/apiBase': general, 'models/model=glm-5.3/apiKey': `\${{ secrets.SVC_API_KEY }}` },
    },
  ],
  aider: [{ file: '.aider.conf.yml', format: 'yaml', values: { model: 'openai/glm-5.3', 'openai-api-base': general } }],
  zed: [
    {
      file: '.config/zed/settings.json',
      format: 'jsonc',
      values: {
        'language_models/openai_compatible/modelsvc/api_url': general,
        'agent/default_model/provider': 'modelsvc',
        'agent/default_model/model': 'glm-5.3',
      },
    },
  ],
};

function openCode(file: string): Check {
  return {
    file,
    format: 'jsonc',
    values: {
      model: 'modelsvc/glm-5.3',
      small_model: 'modelsvc/glm-5.3-flash',
      'provider/modelsvc/options/baseURL': chat,
      'provider/modelsvc/options/apiKey': '{env:SVC_API_KEY}',
    },
  };
}

/** The value at a path of slashes. */
export function valueAt(document: unknown, path: string): unknown {
  let value = document;
  for (const step of path.split('/')) {
    if (Array.isArray(value)) {
      const [field = '', wanted] = step.split('=');
      value = value.find((item: Record<string, unknown>) => item[field] === wanted);
    } else value = (value as Record<string, unknown> | undefined)?.[step];
  }
  return value;
}
