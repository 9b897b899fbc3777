import { appData, type Machine, pathIn, xdgConfig } from '../machine.ts';
import { bearer, dollarBraces, type McpServer } from '../mcp-servers.ts';
import { otherModel, sentHeaders } from '../rivals.ts';
import { type Change, type CodingTool, keyPlaceholder, leaves, modelIds, type Session, type Wiring } from '../tool.ts';

const providerId = 'modelsvc';

/** Settings, each also a variable, that choose the model for a part of the work. */
const roles = ['LEAD', 'PLANNER', 'SUBAGENT'].flatMap((role) => [`GOOSE_${role}_PROVIDER`, `GOOSE_${role}_MODEL`]);

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

function mcpChanges(server: McpServer): Change[] {
  const { name, key } = server;
  const transport =
    server.kind === 'http'
      ? { type: 'streamable_http', uri: server.url, headers: { Authorization: bearer(key, dollarBraces) } }
      : { type: 'stdio', cmd: server.command, args: server.args, envs: { ...server.env, [server.keyVariable]: dollarBraces(key) } };
  const variables = key.mode === 'env' ? { env_keys: [key.variable] } : {};
  return leaves(['extensions', name], { enabled: true, name, description: name, ...transport, ...variables, timeout: 300 });
}

function session({ root, model }: Wiring): Session {
  const { origin, pathname } = new URL(root);
  const path = `${pathname.slice(1)}/chat/completions`;
  return {
    args: [],
    variables: { GOOSE_PROVIDER: 'openai', GOOSE_MODEL: model, OPENAI_HOST: origin, OPENAI_BASE_PATH: path, OPENAI_API_KEY: keyPlaceholder },
    unset: roles,
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
  rivals: ({ model, smallModel }) => [
    ...['GOOSE_PROVIDER', 'GOOSE_MODEL', ...roles, 'GOOSE_FAST_MODEL'].map((variable) => ({ variable, effect: 'it comes before config.yaml' })),
    ...roles.map((name) => ({ path: [name], in: 'config.yaml', value: name.endsWith('MODEL') ? model : providerId, effect: otherModel })),
    { path: ['GOOSE_FAST_MODEL'], in: 'config.yaml', value: smallModel, effect: otherModel },
    { path: ['fast_model'], in: `${providerId}.json`, value: smallModel, effect: otherModel },
    { path: ['requires_auth'], in: `${providerId}.json`, when: (now) => now === false, value: true, effect: 'Goose sends no key' },
    { path: ['headers'], in: `${providerId}.json`, effect: sentHeaders },
  ],
  after: () => ['Start it with `goose session`.'],
};
