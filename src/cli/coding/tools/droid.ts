import { inHome, pathIn } from '../machine.ts';
import { dollarBraces } from '../mcp-servers.ts';
import { serverChanges } from '../mcp-shape.ts';
import { type Change, type CodingTool, leaves, modelIds, type Wiring } from '../tool.ts';

function changes({ root, key, model, smallModel, outputTokens }: Wiring): Change[] {
  return modelIds({ model, smallModel }).flatMap((id) =>
    leaves(['customModels', { model: id, baseUrl: root }], {
      displayName: `${id} (modelsvc)`,
      apiKey: dollarBraces(key),
      provider: 'generic-chat-completion-api',
      maxOutputTokens: outputTokens,
    }),
  );
}

export const droid: CodingTool = {
  id: 'droid',
  name: 'Factory Droid',
  isListed: true,
  program: 'droid',
  surface: 'chat',
  keyModes: ['env', 'plain'],
  mcpKeyModes: ['env', 'plain'],
  traces: (machine) => [inHome(machine, '.factory')],
  load: (wiring, machine) => [{ file: inHome(machine, '.factory', 'settings.json'), format: 'jsonc', changes: changes(wiring) }],
  mcp: (server, machine) => ({
    file: inHome(machine, '.factory', 'mcp.json'),
    format: 'jsonc',
    changes: serverChanges(['mcpServers', server.name], server, dollarBraces, { http: 'http', stdio: 'stdio' }),
  }),
  overrides: (machine) => [
    {
      file: pathIn(machine, machine.cwd, '.factory', 'settings.json'),
      contains: ['customModels', '"model"'],
      effect: 'settings of the project come before yours',
    },
    { file: inHome(machine, '.factory', 'settings.local.json'), contains: ['customModels'], effect: 'local settings come before yours' },
  ],
  after: ({ model }) => [`Choose ${model} with /model in \`droid\`, or start \`droid exec -m custom:${model}\`.`],
};
