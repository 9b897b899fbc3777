import { folderOf, inHome, inProject, type Machine, pathIn } from '../machine.ts';
import type { McpServer } from '../mcp-servers.ts';
import { type Change, type CodingTool, keyPlaceholder, leaves, type Session, type Wiring } from '../tool.ts';
import { modelSettings, present, sentHeaders, valueAt, type Winners } from '../winners.ts';

const providerId = 'modelsvc';

function folder(machine: Machine): string {
  return folderOf(machine, 'CODEX_HOME', inHome(machine, '.codex'));
}

function provider({ root, key }: Wiring): Record<string, unknown> {
  return {
    name: 'modelsvc',
    base_url: root,
    // Codex refuses `chat`.
    wire_api: 'responses',
    ...(key.mode === 'env' && { env_key: key.variable }),
    ...(key.mode === 'plain' && { experimental_bearer_token: key.apiKey }),
    ...(key.mode === 'helper' && { auth: { command: key.command, args: key.args } }),
  };
}

function top({ model, contextTokens }: Wiring): Record<string, string | number> {
  return { model, model_provider: providerId, model_context_window: contextTokens };
}

function changes(wiring: Wiring): Change[] {
  return leaves([], { ...top(wiring), model_providers: { [providerId]: provider(wiring) } });
}

/** The same values as arguments. Codex parses each as TOML. */
function session(wiring: Wiring): Session {
  const isHelper = wiring.key.mode === 'helper';
  const key = isHelper ? wiring.key : ({ mode: 'env', variable: 'SVC_API_KEY' } as const);
  const args = changes({ ...wiring, key }).flatMap(({ path, value }) => ['-c', `${path.join('.')}=${JSON.stringify(value)}`]);
  return { args, variables: isHelper ? {} : { SVC_API_KEY: keyPlaceholder } };
}

function mcpChanges(server: McpServer): Change[] {
  const path = ['mcp_servers', server.name];
  const { key } = server;
  if (server.kind === 'stdio') {
    const { command, args, env, keyVariable } = server;
    // Codex starts servers without the variables of the user. `env_vars` names those that it passes on, under their own names.
    if (key.mode === 'env') return leaves(path, { command, args, env_vars: [key.variable], env });
    return leaves(path, { command, args, env: { ...env, [keyVariable]: key.mode === 'plain' ? key.apiKey : '' } });
  }
  if (key.mode === 'env') return leaves(path, { url: server.url, bearer_token_env_var: key.variable });
  return leaves(path, { url: server.url, http_headers: { Authorization: `Bearer ${key.mode === 'plain' ? key.apiKey : ''}` } });
}

const winners: Winners = (content, { model, keyMode }) => {
  const path = ['model_providers', providerId];
  const otherKeys = { env: ['experimental_bearer_token', 'auth'], plain: ['env_key', 'auth'], helper: ['env_key', 'experimental_bearer_token'] }[
    keyMode
  ];
  return [
    ...present(content, [['profile']], { effect: 'the model of this profile comes first' }),
    ...modelSettings(content, [[['review_model'], model]]),
    ...(valueAt(content, ...path, 'requires_openai_auth') === true
      ? [{ path: [...path, 'requires_openai_auth'], value: false, effect: 'your sign-in at another vendor goes to the service' }]
      : []),
    ...present(
      content,
      otherKeys.map((name) => [...path, name]),
      { effect: 'it sends another key to the service' },
    ),
    ...present(
      content,
      [
        [...path, 'http_headers'],
        [...path, 'env_http_headers'],
      ],
      { effect: sentHeaders },
    ),
  ];
};

export const codex: CodingTool = {
  id: 'codex',
  name: 'Codex',
  isListed: true,
  program: 'codex',
  surface: 'responses',
  keyModes: ['helper', 'env', 'plain'],
  // The arguments of the command are another value.
  keyText: (key) => (key.mode === 'helper' ? key.command : key.mode === 'plain' ? key.apiKey : key.variable),
  mcpKeyModes: ['env', 'plain'],
  keyVariables: { 'mcp:vision': 'Z_AI_API_KEY' },
  traces: (machine) => [folder(machine)],
  // A profile is a separate file, so plain `codex` keeps the user's model.
  load: (wiring, machine) => [
    {
      file: pathIn(machine, folder(machine), wiring.isDefault ? 'config.toml' : `${providerId}.config.toml`),
      format: 'toml',
      changes: changes(wiring),
    },
  ],
  mcp: (server, machine) => ({ file: pathIn(machine, folder(machine), 'config.toml'), format: 'toml', changes: mcpChanges(server) }),
  session,
  winners,
  overrides: (machine) => [
    { file: '/etc/codex/managed_config.toml', effect: 'managed settings come before yours' },
    ...inProject(machine, '.codex', 'config.toml').map((file) => ({ file, effect: 'the model of a trusted project comes before yours' })),
    {
      file: pathIn(machine, folder(machine), 'config.toml'),
      when: (content) => valueAt(content, 'profiles', providerId) !== undefined || valueAt(content, 'profile') === providerId,
      effect: 'Codex refuses --profile beside this older form of a profile',
    },
  ],
  after: ({ isDefault }) => [
    isDefault ? 'Start it with `codex`.' : `Start it with \`codex --profile ${providerId}\`; --default makes the service its default.`,
  ],
};
