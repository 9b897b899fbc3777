import { folderOf, inHome, inProject, type Machine, pathIn, xdgConfig, xdgData } from '../machine.ts';
import { referenceWith } from '../mcp-servers.ts';
import { serverChanges } from '../mcp-shape.ts';
import { eachFile, isTrue, sentHeaders } from '../rivals.ts';
import { type Change, type CodingTool, leaves, modelIds, type Wiring } from '../tool.ts';

const providerId = 'modelsvc';

/** Crush expands all texts as a shell does. */
const shellText = referenceWith(
  (name) => `$${name}`,
  (line) => `$(${line})`,
);

function keyText(key: Wiring['key']): string {
  return key.mode === 'plain' ? key.apiKey.replace(/[\\$`"]/g, '\\$&') : shellText(key);
}

function folder(machine: Machine): string {
  return folderOf(machine, 'CRUSH_GLOBAL_CONFIG', xdgConfig(machine, 'crush'));
}

/** Crush writes its own `crush.json` here, and reads it after the configuration. */
function dataFolder(machine: Machine): string {
  const local = (): string => pathIn(machine, folderOf(machine, 'LOCALAPPDATA', inHome(machine, 'AppData', 'Local')), 'crush');
  return folderOf(machine, 'CRUSH_GLOBAL_DATA', machine.platform === 'win32' ? local() : xdgData(machine, 'crush'));
}

function changes({ root, key, model, smallModel, contextTokens, outputTokens, isPlan }: Wiring): Change[] {
  const provider = { name: 'modelsvc', type: 'openai-compat', base_url: root, api_key: keyText(key), ...(isPlan && { flat_rate: true }) };
  const ids = modelIds({ model, smallModel });
  return [
    ...leaves(['providers', providerId], provider),
    ...ids.flatMap((id) =>
      leaves(['providers', providerId, 'models', { id }], {
        name: id,
        context_window: contextTokens,
        default_max_tokens: outputTokens,
        can_reason: true,
      }),
    ),
    ...leaves(['models'], { large: { provider: providerId, model }, small: { provider: providerId, model: smallModel } }),
  ];
}

export const crush: CodingTool = {
  id: 'crush',
  name: 'Crush',
  isListed: true,
  program: 'crush',
  surface: 'chat',
  keyModes: ['helper', 'env', 'plain'],
  keyText,
  mcpKeyModes: ['helper', 'env', 'plain'],
  traces: (machine) => [folder(machine), dataFolder(machine)],
  load: (wiring, machine) => [{ file: pathIn(machine, folder(machine), 'crush.json'), format: 'json', changes: changes(wiring) }],
  mcp: (server, machine) => ({
    file: pathIn(machine, folder(machine), 'crush.json'),
    format: 'json',
    changes: serverChanges(['mcp', server.name], server, keyText, { http: 'http', stdio: 'stdio' }),
  }),
  // Crush has no session: variables can pass a key to its own provider, but neither the root nor the model.
  rivals: ({ machine }) => [
    { files: [pathIn(machine, dataFolder(machine), 'crush.json')], effect: 'a model chosen in Crush comes before yours' },
    ...eachFile([inProject(machine, '.crush.json'), inProject(machine, 'crush.json')], 'settings of the project come before yours'),
    {
      files: [pathIn(machine, folder(machine), 'crushrc')],
      format: 'words',
      path: ['*'],
      when: (_, [word]) => ['provider', 'providers', 'model', 'models'].includes(String(word)),
      effect: 'crushrc comes before crush.json',
    },
    { path: ['providers', providerId, 'disable'], when: isTrue, value: false, effect: 'it turns the provider off' },
    { path: ['providers', providerId, 'extra_headers'], effect: sentHeaders },
  ],
  after: () => ['Start it with `crush`.'],
};
