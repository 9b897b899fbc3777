/** The programs: their versions, a settings file of a user, and the arguments of one turn. */

/** Files below the home folder and their texts. */
export type Files = Readonly<Record<string, string>>;

export interface Program {
  /** Id of the tool in `coding`. */
  readonly id: string;
  /** Packages with their versions, the newest that installed. The first is the one in the table. */
  readonly packages: readonly string[];
  /** Folder of the program. Default: node_modules/.bin. */
  readonly folder?: string;
  readonly needsNode22?: boolean;
  /** Settings of the user, with a comment where the format has them. */
  readonly files: Files;
  /** Arguments of one turn after `load`. */
  readonly turn: readonly string[];
  /** Arguments of one turn after `coding run TOOL --`. Default: the arguments of `turn`. */
  readonly sessionTurn?: readonly string[];
  /** Reason why `coding run` is not tried. */
  readonly noSession?: string;
  /** Arguments that list MCP servers. Undefined if the program has no such list: one turn asks the server instead. */
  readonly mcpList?: readonly string[];
  /** The pinned version has no MCP. */
  readonly hasNoMcp?: boolean;
  /** Variables of every run. */
  readonly env?: Readonly<Record<string, string>>;
  /** Remark for the table. */
  readonly note?: string;
}

const filesOnly = 'reads files only';
const prompt = 'say pong';
const mine = 'http://127.0.0.1:9/mine';

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

function openCodeLike(name: string): Files {
  return { [`.config/${name}/${name}.json`]: '{\n  // mine\n  "share": "disabled",\n  "autoupdate": false\n}\n' };
}

export const programs: readonly Program[] = [
  {
    id: 'claude-code',
    packages: ['@anthropic-ai/claude-code@2.1.330'],
    files: { '.claude/settings.json': json({ permissions: { allow: ['Bash(ls:*)'] }, env: { MINE: 'kept', ANTHROPIC_BASE_URL: mine } }) },
    turn: ['-p', prompt],
    mcpList: ['mcp', 'list'],
  },
  {
    id: 'codex',
    packages: ['@openai/codex@0.169.0'],
    files: { '.codex/config.toml': '# mine\nmodel = "mine"\nmodel_reasoning_effort = "low"\n\n[tools]\nweb_search = false\n' },
    turn: ['exec', '--profile', 'modelsvc', prompt],
    sessionTurn: ['exec', prompt],
    mcpList: ['mcp', 'list'],
  },
  {
    id: 'opencode',
    packages: ['opencode-ai@1.18.33'],
    files: openCodeLike('opencode'),
    turn: ['run', prompt],
    mcpList: ['mcp', 'list'],
  },
  {
    id: 'kilo',
    packages: ['@kilocode/cli@7.7.7'],
    files: openCodeLike('kilo'),
    turn: ['run', prompt],
    mcpList: ['mcp', 'list'],
  },
  {
    id: 'crush',
    packages: ['@charmland/crush@0.96.1'],
    files: { '.config/crush/crush.json': json({ options: { disable_metrics: true } }) },
    turn: ['run', prompt],
    noSession: filesOnly,
    note: 'its package downloads the program from another host',
  },
  {
    id: 'droid',
    packages: ['@factory/cli-linux-x64@0.225.2'],
    folder: 'node_modules/@factory/cli-linux-x64/bin',
    files: { '.factory/settings.json': '{\n  // mine\n  "cloudSessionSync": false\n}\n' },
    turn: ['exec', '-m', 'custom:glm-5.3', prompt],
    noSession: filesOnly,
    mcpList: ['mcp', 'list'],
  },
  {
    id: 'cline',
    packages: ['cline@3.0.65'],
    files: {
      '.cline/data/settings/providers.json': json({
        version: 1,
        lastUsedProvider: 'anthropic',
        modes: {},
        providers: {
          anthropic: {
            settings: { provider: 'anthropic', apiKey: 'stored-by-the-user', model: 'mine' },
            updatedAt: '2026-11-01T00:00:00.000Z',
            tokenSource: 'manual',
          },
        },
      }),
    },
    turn: [prompt],
    noSession: filesOnly,
    mcpList: ['config', 'mcp'],
    note: 'a daemon of the program stays after its first run; the script ends it',
  },
  {
    id: 'goose',
    packages: ['@aaif/goose@0.20.1'],
    files: { '.config/goose/config.yaml': '# mine\nGOOSE_PROVIDER: openai # mine too\nGOOSE_MODEL: mine\nGOOSE_MODE: auto\n' },
    turn: ['run', '--no-session', '-t', prompt],
    env: { GOOSE_DISABLE_KEYRING: '1' },
  },
  {
    id: 'pi',
    packages: ['@mariozechner/pi-coding-agent@0.73.1'],
    files: {
      '.pi/agent/settings.json': json({ theme: 'dark', defaultProvider: 'mine' }),
      '.pi/agent/models.json': json({
        providers: { mine: { baseUrl: mine, api: 'openai-completions', apiKey: 'stored-by-the-user', models: [{ id: 'mine' }] } },
      }),
    },
    turn: ['-p', prompt],
    noSession: 'only with the root of the plan',
    hasNoMcp: true,
    note: 'newer versions have another name, and do not install: one of their packages is missing. Version 0.73.1 has no MCP, and takes no `$NAME` for the key: `--key-mode env` needs a newer one',
  },
  {
    id: 'qwen',
    packages: ['@qwen-code/qwen-code@0.24.4'],
    needsNode22: true,
    files: { '.qwen/settings.json': '{\n    // mine\n    "privacy": { "usageStatisticsEnabled": false },\n    "model": { "name": "mine" }\n}\n' },
    turn: ['-p', prompt],
    mcpList: ['mcp', 'list'],
  },
  {
    id: 'continue',
    packages: ['@continuedev/cli@1.5.47'],
    needsNode22: true,
    note: '`cn` writes `ANTHROPIC_API_KEY` of the shell into `config.yaml`, with models of its own. `doctor` warns of it',
    files: { '.continue/config.yaml': '# mine\nname: mine\nversion: 1.0.0\nschema: v1\nrules:\n  - Answer in one word. # mine too\n' },
    turn: ['-p', prompt],
    noSession: filesOnly,
  },
];

/** Tools without a package of their vendor in the npm registry. */
export const absentPrograms: readonly string[] = ['aider', 'zed'];
