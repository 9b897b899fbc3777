import { bearer, dollarBraces, type McpServer } from '../mcp-servers.ts';
import { inHome, pathIn } from '../place.ts';
import { type Change, type CodingTool, leaves, type Wiring } from '../tool.ts';

function changes({ root, key, model, smallModel, outputTokens }: Wiring): Change[] {
  return [...new Set([model, smallModel])].flatMap((id) =>
    leaves(['customModels', { model: id, baseUrl: root }], {
      displayName: `${id} (modelsvc)`,
      apiKey: dollarBraces(key),
      provider: 'generic-chat-completion-api',
      maxOutputTokens: outputTokens,
    }),
  );
}

function mcpChanges(server: McpServer): Change[] {
  const path = ['mcpServers', server.name];
  if (server.kind === 'http') return leaves(path, { type: 'http', url: server.url, headers: { Authorization: bearer(server.key, dollarBraces) } });
  const { command, args, env, keyVariable, key } = server;
  return leaves(path, { type: 'stdio', command, args, env: { ...env, [keyVariable]: dollarBraces(key) } });
}

export const droid: CodingTool = {
  id: 'droid',
  name: 'Factory Droid',
  isListed: true,
  program: 'droid',
  surface: 'chat',
  keyModes: ['env', 'plain'],
  mcpKeyModes: ['env', 'plain'],
  traces: (place) => [inHome(place, '.factory')],
  load: (wiring, place) => [{ file: inHome(place, '.factory', 'settings.json'), format: 'jsonc', changes: changes(wiring) }],
  mcp: (server, place) => ({ file: inHome(place, '.factory', 'mcp.json'), format: 'jsonc', changes: mcpChanges(server) }),
  overrides: (place) => [
    {
      file: pathIn(place, place.cwd, '.factory', 'settings.json'),
      contains: ['customModels', '"model"'],
      effect: 'settings of the project come before yours',
    },
    { file: inHome(place, '.factory', 'settings.local.json'), contains: ['customModels'], effect: 'local settings come before yours' },
  ],
  after: ({ model }) => [`Choose ${model} with /model in \`droid\`, or start \`droid exec -m custom:${model}\`.`],
};
