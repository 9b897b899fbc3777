import { appData, type Machine, pathIn, xdgConfig } from '../machine.ts';
import { bearer, dollarBraces, type McpServer } from '../mcp-servers.ts';
import { type Change, type CodingTool, keyPlaceholder, leaves, modelIds, type Session, type Wiring } from '../tool.ts';
import { modelSettings, present, sentHeaders, valueAt, type Winners } from '../winners.ts';

const providerId = 'modelsvc';

function folder(machine: Machine): string {
  return machine.platform === 'win32' ? pathIn(machine, appData(machine), 'Block', 'goose', 'config') : xdgConfig(machine, 'goose');
}

function provider({ root, key, model, smallModel, contextTokens }: Wiring): Change[] {
  const ids = modelIds({ model, smallModel });
  return [
    ...leaves([], {
      name: providerId,
      // The Anthropic engine would ask a model of another vendor for the names of sessions.
      engine: 'openai',
      display_name: 'modelsvc',
      description: 'modelsvc',
      api_key_env: key.mode === 'env' ? key.variable : 'SVC_API_KEY',
      // Goose posts to this URL and appends no path.
      base_url: `${root}/chat/completions`,
      supports_streaming: true,
    }),
    ...ids.flatMap((name) => leaves(['models', { name }], { context_limit: contextTokens })),
  ];
}

const winners: Winners = (content, { model, smallModel }) => [
  ...modelSettings(
    content,
    ['LEAD', 'PLANNER', 'SUBAGENT'].flatMap((role) => [[[`GOOSE_${role}_PROVIDER`], providerId] as const, [[`GOOSE_${role}_MODEL`], model] as const]),
  ),
  ...modelSettings(content, [
    [['GOOSE_FAST_MODEL'], smallModel],
    [['fast_model'], smallModel],
  ]),
  ...(valueAt(content, 'requires_auth') === false ? [{ path: ['requires_auth'], value: true, effect: 'Goose sends no key' }] : []),
  ...present(content, [['headers']], { effect: sentHeaders }),
];

function mcpChanges(server: McpServer): Change[] {
  const path = ['extensions', server.name];
  const { name, key } = server;
  const variables = key.mode === 'env' ? { env_keys: [key.variable] } : {};
  if (server.kind === 'http')
    return leaves(path, {
      enabled: true,
      type: 'streamable_http',
      name,
      description: name,
      uri: server.url,
      headers: { Authorization: bearer(key, dollarBraces) },
      ...variables,
      timeout: 300,
    });
  const { command, args, env, keyVariable } = server;
  return leaves(path, {
    enabled: true,
    type: 'stdio',
    name,
    description: name,
    cmd: command,
    args,
    envs: { ...env, [keyVariable]: dollarBraces(key) },
    ...variables,
    timeout: 300,
  });
}

function session({ root, model }: Wiring): Session {
  const { origin, pathname } = new URL(root);
  const path = `${pathname.slice(1)}/chat/completions`;
  return {
    args: [],
    variables: { GOOSE_PROVIDER: 'openai', GOOSE_MODEL: model, OPENAI_HOST: origin, OPENAI_BASE_PATH: path, OPENAI_API_KEY: keyPlaceholder },
  };
}

export const goose: CodingTool = {
  id: 'goose',
  name: 'Goose',
  isListed: true,
  program: 'goose',
  surface: 'chat',
  // The key of a custom provider is a variable or an entry of the keychain.
  keyModes: ['env'],
  mcpKeyModes: ['env', 'plain'],
  traces: (machine) => [folder(machine)],
  load: (wiring, machine) => [
    { file: pathIn(machine, folder(machine), 'custom_providers', `${providerId}.json`), format: 'json', changes: provider(wiring) },
    {
      file: pathIn(machine, folder(machine), 'config.yaml'),
      format: 'yaml',
      changes: leaves([], { GOOSE_PROVIDER: providerId, GOOSE_MODEL: wiring.model }),
    },
  ],
  mcp: (server, machine) => ({ file: pathIn(machine, folder(machine), 'config.yaml'), format: 'yaml', changes: mcpChanges(server) }),
  session,
  winners,
  overrides: () => [
    { variable: 'GOOSE_PROVIDER', effect: 'it comes before config.yaml' },
    { variable: 'GOOSE_MODEL', effect: 'it comes before config.yaml' },
  ],
  after: () => ['Start it with `goose session`.'],
};
