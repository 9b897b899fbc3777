import { folderOf, inHome, inProject, type Machine, pathIn } from '../machine.ts';
import type { McpServer } from '../mcp-servers.ts';
import { each, isTrue, otherModel, sentHeaders } from '../rivals.ts';
import { type Change, type CodingTool, keyPlaceholder, leaves, type Session, type Wiring } from '../tool.ts';

const providerId = 'modelsvc';
const own = ['model_providers', providerId];

/** Fields with a key that another way to pass it uses. */
const keyFields = { env: ['experimental_bearer_token', 'auth'], plain: ['env_key', 'auth'], helper: ['env_key', 'experimental_bearer_token'] };

function folder(machine: Machine): string {
  return folderOf(machine, 'CODEX_HOME', inHome(machine, '.codex'));
}

function changes({ root, key, model, contextTokens }: Wiring): Change[] {
  const provider = {
    name: 'modelsvc',
    base_url: root,
    // Codex refuses `chat`.
    wire_api: 'responses',
    ...(key.mode === 'env' && { env_key: key.variable }),
    ...(key.mode === 'plain' && { experimental_bearer_token: key.apiKey }),
    ...(key.mode === 'helper' && { auth: { command: key.command, args: key.args } }),
  };
  const top = { model, model_provider: providerId, model_context_window: contextTokens };
  return leaves([], { ...top, model_providers: { [providerId]: provider } });
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
  rivals: ({ machine, model, keyMode }) => [
    { files: ['/etc/codex/managed_config.toml'], effect: 'managed settings come before yours' },
    { files: inProject(machine, '.codex', 'config.toml'), effect: 'the model of a trusted project comes before yours' },
    ...each([['profiles', providerId], ['profile']], {
      files: [pathIn(machine, folder(machine), 'config.toml')],
      when: (now) => typeof now === 'object' || now === providerId,
      effect: 'Codex refuses --profile next to this older form of a profile',
    }),
    { path: ['profile'], effect: 'the model of this profile comes first' },
    { path: ['review_model'], value: model, effect: otherModel },
    { path: [...own, 'requires_openai_auth'], when: isTrue, value: false, effect: 'your sign-in at another vendor goes to the service' },
    ...each(
      keyFields[keyMode].map((name) => [...own, name]),
      { effect: 'it sends another key to the service' },
    ),
    ...each(
      [
        [...own, 'http_headers'],
        [...own, 'env_http_headers'],
      ],
      { effect: sentHeaders },
    ),
  ],
  after: ({ isDefault }) => [
    isDefault ? 'Start it with `codex`.' : `Start it with \`codex --profile ${providerId}\`; --default makes the service its default.`,
  ],
};
