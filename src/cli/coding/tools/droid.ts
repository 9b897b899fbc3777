import { inHome, inProject } from '../machine.ts';
import { dollarBraces } from '../mcp-servers.ts';
import { serverChanges } from '../mcp-shape.ts';
import { each, eachFile, sentHeaders } from '../rivals.ts';
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
  rivals: ({ machine, model, smallModel, root }) => [
    ...eachFile(
      ['settings.local.json', 'settings.json'].map((name) => inProject(machine, '.factory', name)),
      'settings of the project come before yours',
    ),
    { files: [inHome(machine, '.factory', 'settings.local.json')], effect: 'local settings come before yours' },
    ...each([['sessionDefaultSettings', 'model'], ['model']], {
      when: (now) => !String(now).startsWith(`custom:${model}`),
      effect: `Droid asks another model until you choose ${model} with /model`,
    }),
    ...each(
      modelIds({ model, smallModel }).map((id) => ['customModels', { model: id, baseUrl: root }, 'extraHeaders']),
      { effect: sentHeaders },
    ),
  ],
  after: ({ model }) => [`Choose ${model} with /model in \`droid\`, or start \`droid exec -m custom:${model}\`.`],
};
