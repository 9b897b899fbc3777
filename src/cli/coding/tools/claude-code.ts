import { folderOf, inHome, inProject, type Machine, pathIn } from '../machine.ts';
import { dollarBraces } from '../mcp-servers.ts';
import { serverChanges } from '../mcp-shape.ts';
import { type CodingTool, keyPlaceholder, leaves, type Session, type Wiring } from '../tool.ts';
import { listAt, modelSettings, present, valueAt, type Winner, type Winners } from '../winners.ts';

/** Variables of the user whose values Claude Code would send to the service, or that would direct it to another service. */
const neutralized = [
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_AUTH_TOKEN',
  'ANTHROPIC_CUSTOM_HEADERS',
  'CLAUDE_CODE_USE_BEDROCK',
  'CLAUDE_CODE_USE_VERTEX',
  'CLAUDE_CODE_USE_FOUNDRY',
  'CLAUDE_CODE_USE_ANTHROPIC_AWS',
  'CLAUDE_CODE_USE_MANTLE',
];

/** Variables that a session must not inherit. ANTHROPIC_MODEL takes precedence over the models of the settings. */
const unset = [...neutralized, 'ANTHROPIC_MODEL'];

/** Claude Code asks for the 1M context with a suffix, which it removes before it sends the model. */
function longContext(model: string): string {
  return model.startsWith('glm-5.3') ? `${model}[1m]` : model;
}

function variables({ root, model, smallModel, contextTokens }: Wiring): Record<string, string> {
  const main = longContext(model);
  return {
    ...Object.fromEntries(neutralized.map((name) => [name, ''])),
    ANTHROPIC_BASE_URL: root,
    ANTHROPIC_DEFAULT_OPUS_MODEL: main,
    ANTHROPIC_DEFAULT_SONNET_MODEL: main,
    ANTHROPIC_DEFAULT_FABLE_MODEL: main,
    ANTHROPIC_DEFAULT_HAIKU_MODEL: longContext(smallModel),
    CLAUDE_CODE_AUTO_COMPACT_WINDOW: String(contextTokens),
    API_TIMEOUT_MS: '3000000',
  };
}

function settings(wiring: Wiring): Record<string, unknown> {
  const { key } = wiring;
  const env = variables(wiring);
  if (key.mode === 'helper') return { apiKeyHelper: key.line, env };
  return { env: { ...env, ...(key.mode === 'plain' && { ANTHROPIC_AUTH_TOKEN: key.apiKey }) } };
}

/** The settings are in the arguments. Other users of the machine can read those, so the key is in a variable. */
function session(wiring: Wiring): Session {
  const { key } = wiring;
  // The option comes before the variable and the model of the user's settings.
  const model = ['--model', longContext(wiring.model)];
  if (key.mode === 'helper') return { args: [...model, '--settings', JSON.stringify(settings(wiring))], variables: {}, unset };
  const { ANTHROPIC_AUTH_TOKEN: _, ...env } = variables(wiring);
  return { args: [...model, '--settings', JSON.stringify({ env })], variables: { ANTHROPIC_AUTH_TOKEN: keyPlaceholder }, unset };
}

function folder(machine: Machine): string {
  return folderOf(machine, 'CLAUDE_CONFIG_DIR', inHome(machine, '.claude'));
}

/** State of Claude Code, with the MCP servers of the user. */
function stateFile(machine: Machine): string {
  const moved = folderOf(machine, 'CLAUDE_CONFIG_DIR', '');
  return moved === '' ? inHome(machine, '.claude.json') : pathIn(machine, moved, '.claude.json');
}

function managedFile(machine: Machine): string {
  if (machine.platform === 'win32') return 'C:\\Program Files\\ClaudeCode\\managed-settings.json';
  return machine.platform === 'darwin' ? '/Library/Application Support/ClaudeCode/managed-settings.json' : '/etc/claude-code/managed-settings.json';
}

/** Names that the variables ANTHROPIC_DEFAULT_…_MODEL map to the models of the service. */
const alias = /^(?:default|best|sonnet|opus|haiku|fable|opusplan|inherit)(?:\[1m\])?$/i;

const winners: Winners = (content, { file, model, smallModel, keyMode }) => {
  if (file.endsWith('.claude.json')) return [];
  const main = longContext(model);
  const models = modelSettings(content, [
    [['model'], main],
    [['env', 'ANTHROPIC_MODEL'], main],
    [['env', 'ANTHROPIC_SMALL_FAST_MODEL'], longContext(smallModel)],
    [['env', 'CLAUDE_CODE_SUBAGENT_MODEL'], main],
  ]);
  const isMapped = ({ path }: Winner): boolean => alias.test(String(valueAt(content, ...(path as string[]))));
  const others = { value: '', effect: 'its key goes to the service' };
  return [
    ...models.filter((one) => !isMapped(one)),
    ...present(content, [['env', 'CLAUDE_CODE_OAUTH_TOKEN'], ...(keyMode === 'plain' ? [['apiKeyHelper']] : [])], others),
    ...(listAt(content, 'availableModels').length > 0
      ? [{ path: ['availableModels'], effect: 'a model that it leaves out cannot be chosen', isPartial: true }]
      : []),
  ];
};

export const claudeCode: CodingTool = {
  id: 'claude-code',
  name: 'Claude Code',
  isListed: true,
  program: 'claude',
  surface: 'anthropic',
  keyModes: ['helper', 'plain'],
  mcpKeyModes: ['env', 'plain'],
  traces: (machine) => [folder(machine), stateFile(machine)],
  // Claude Code ignores the whole file if it has a comment.
  load: (wiring, machine) => [
    { file: pathIn(machine, folder(machine), 'settings.json'), format: 'json', changes: leaves([], settings(wiring)) },
    // Without this value, Claude Code begins with a sign-in to another service.
    { file: stateFile(machine), format: 'json', hasLock: true, changes: leaves([], { hasCompletedOnboarding: true }) },
  ],
  mcp: (server, machine) => ({
    file: stateFile(machine),
    format: 'json',
    hasLock: true,
    changes: serverChanges(['mcpServers', server.name], server, dollarBraces, { http: 'http', stdio: 'stdio' }),
  }),
  session,
  shell: (wiring) => ({
    variables: {
      ...Object.fromEntries(Object.entries(variables(wiring)).filter(([name]) => !neutralized.includes(name))),
      ANTHROPIC_AUTH_TOKEN: keyPlaceholder,
    },
    unset: unset.filter((name) => name !== 'ANTHROPIC_AUTH_TOKEN'),
  }),
  winners,
  overrides: (machine) => [
    { file: managedFile(machine), effect: 'managed settings come before yours' },
    ...['settings.json', 'settings.local.json']
      .flatMap((name) => inProject(machine, '.claude', name))
      .map((file) => ({ file, effect: 'settings of the project come before yours' })),
    { variable: 'ANTHROPIC_MODEL', effect: 'it chooses the model, whatever the settings map' },
  ],
  after: () => ['Start it with `claude`.'],
};
