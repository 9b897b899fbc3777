import { inHome, inProject } from '../machine.ts';
import { dollarBraces } from '../mcp-servers.ts';
import { serverChanges } from '../mcp-shape.ts';
import { type Change, type CodingTool, leaves, modelIds, type Wiring } from '../tool.ts';
import { listAt, sentHeaders, valueAt, type Winners } from '../winners.ts';

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

const winners: Winners = (content, { model, smallModel, root }) => [
  ...[['model'], ['sessionDefaultSettings', 'model']].flatMap((path) => {
    const chosen = valueAt(content, ...path);
    return chosen === undefined || String(chosen).startsWith(`custom:${model}`)
      ? []
      : [{ path, effect: `Droid asks another model until you choose ${model} with /model` }];
  }),
  ...[model, smallModel].flatMap((id) => {
    const item = listAt(content, 'customModels').find((one) => valueAt(one, 'model') === id && valueAt(one, 'baseUrl') === root);
    return valueAt(item, 'extraHeaders') === undefined
      ? []
      : [{ path: ['customModels', { model: id, baseUrl: root }, 'extraHeaders'], effect: sentHeaders }];
  }),
];

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
  winners,
  overrides: (machine) => [
    ...['settings.json', 'settings.local.json']
      .flatMap((name) => inProject(machine, '.factory', name))
      .map((file) => ({ file, effect: 'settings of the project come before yours' })),
    { file: inHome(machine, '.factory', 'settings.local.json'), effect: 'local settings come before yours' },
  ],
  after: ({ model }) => [`Choose ${model} with /model in \`droid\`, or start \`droid exec -m custom:${model}\`.`],
};
