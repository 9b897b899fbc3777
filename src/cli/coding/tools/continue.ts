import { find } from '../edits/values.ts';
import { folderOf, inHome, type Machine, pathIn } from '../machine.ts';
import { bearer, type McpServer, referenceWith } from '../mcp-servers.ts';
import { sentHeaders } from '../rivals.ts';
import { type Change, type CodingTool, leaves, type Wiring } from '../tool.ts';

const secret = referenceWith((name) => `\${{ secrets.${name} }}`);

function folder(machine: Machine): string {
  return folderOf(machine, 'CONTINUE_GLOBAL_DIR', inHome(machine, '.continue'));
}

function configFile(machine: Machine): string {
  return pathIn(machine, folder(machine), 'config.yaml');
}

/** The fields that Continue requires in a new file. */
function head(machine: Machine): Change[] {
  return machine.exists(configFile(machine)) ? [] : leaves([], { name: 'modelsvc', version: '1.0.0', schema: 'v1' });
}

function changes({ root, key, model, contextTokens, outputTokens }: Wiring, machine: Machine): Change[] {
  const options = { contextLength: contextTokens, maxTokens: outputTokens };
  return [
    ...head(machine),
    ...leaves(['models', { name: nameOf(model) }], {
      provider: 'openai',
      model,
      apiBase: root,
      apiKey: secret(key),
      defaultCompletionOptions: options,
      roles: ['chat', 'edit', 'apply'],
    }),
  ];
}

function mcpChanges(server: McpServer, machine: Machine): Change[] {
  const path = ['mcpServers', { name: server.name }];
  if (server.kind === 'http')
    return [
      ...head(machine),
      ...leaves(path, { type: 'streamable-http', url: server.url, requestOptions: { headers: { Authorization: bearer(server.key, secret) } } }),
    ];
  const { command, args, env, keyVariable, key } = server;
  return [...head(machine), ...leaves(path, { command, args, env: { ...env, [keyVariable]: secret(key) } })];
}

function nameOf(model: string): string {
  return `${model} (modelsvc)`;
}

/** Name of the first model with the role chat, which a model without roles also has. */
function firstOfChat(models: unknown): unknown {
  const isChat = (one: unknown): boolean => [find(one, ['roles']) ?? 'chat'].flat().includes('chat');
  return Array.isArray(models) ? find(models.find(isChat) ?? { name: 'none' }, ['name']) : undefined;
}

export const continueTool: CodingTool = {
  id: 'continue',
  name: 'Continue',
  isListed: false,
  program: 'cn',
  surface: 'chat',
  keyModes: ['env', 'plain'],
  mcpKeyModes: ['env', 'plain'],
  traces: (machine) => [folder(machine)],
  load: (wiring, machine) => [{ file: configFile(machine), format: 'yaml', changes: changes(wiring, machine) }],
  mcp: (server, machine) => ({ file: configFile(machine), format: 'yaml', changes: mcpChanges(server, machine) }),
  rivals: ({ model }) => [
    { variable: 'ANTHROPIC_API_KEY', effect: '`cn` writes it into config.yaml, with models of its own' },
    {
      path: ['models'],
      when: (models) => firstOfChat(models) !== nameOf(model),
      effect: '`cn` asks another model, which comes first in this list with the role chat',
      isPartial: true,
    },
    { path: ['models', { name: nameOf(model) }, 'requestOptions', 'headers'], effect: sentHeaders },
  ],
  after: () => [
    '`cn` takes the first model with the role chat: move this one to the front of the list if it has others. In the editor you choose it.',
  ],
};
