import { folderOf, inHome, inProject, type Machine, pathIn } from '../machine.ts';
import { dollarBraces } from '../mcp-servers.ts';
import { serverChanges } from '../mcp-shape.ts';
import { each, eachFile, otherModel, texts } from '../rivals.ts';
import { type CodingTool, keyPlaceholder, leaves, type Session, type Wiring } from '../tool.ts';

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
const unset = [...neutralized, 'ANTHROPIC_MODEL', 'ANTHROPIC_UNIX_SOCKET'];

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

function isNoAlias(now: unknown): boolean {
  return !alias.test(String(now));
}

/** Settings that choose a model, with the value of the wiring. */
function models(model: string, smallModel: string): readonly (readonly [path: readonly string[], value: string])[] {
  const main = longContext(model);
  return [
    [['model'], main],
    [['env', 'ANTHROPIC_MODEL'], main],
    [['env', 'ANTHROPIC_SMALL_FAST_MODEL'], longContext(smallModel)],
    [['env', 'CLAUDE_CODE_SUBAGENT_MODEL'], main],
  ];
}

/** Variables of the shell, or of the block `env`, that change the requests. */
const requestVariables = {
  ANTHROPIC_UNIX_SOCKET: { effect: 'requests go to this socket in place of the service' },
  ANTHROPIC_BETAS: { effect: 'these betas of another vendor go to the service, which may refuse them', isPartial: true },
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
  rivals: ({ machine, model, smallModel, keyMode }) => [
    { files: [managedFile(machine)], effect: 'managed settings come before yours' },
    ...eachFile(
      ['settings.local.json', 'settings.json'].map((name) => inProject(machine, '.claude', name)),
      'settings of the project come before yours',
    ),
    { variable: 'ANTHROPIC_MODEL', effect: 'it chooses the model, whatever the settings map' },
    ...Object.entries(requestVariables).map(([variable, rival]) => ({ variable, ...rival })),
    ...[
      ...models(model, smallModel).map(([path, value]) => ({ path, value, when: isNoAlias, effect: otherModel })),
      ...each([['env', 'CLAUDE_CODE_OAUTH_TOKEN'], ...(keyMode === 'plain' ? [['apiKeyHelper']] : [])], {
        value: '',
        effect: 'its key goes to the service',
      }),
      ...Object.entries(requestVariables).map(([name, rival]) => ({ path: ['env', name], ...rival })),
      { path: ['env', 'HTTPS_PROXY'], effect: 'requests to the service go through this proxy', isPartial: true },
      { path: ['forceLoginMethod'], effect: 'Claude Code asks for a sign-in at another vendor' },
      {
        path: ['availableModels'],
        when: (now: unknown) => texts(now).length > 0,
        effect: 'a model that it leaves out cannot be chosen',
        isPartial: true,
      },
    ].map((rival) => ({ ...rival, in: 'settings.json' })),
  ],
  after: () => ['Start it with `claude`.'],
};
