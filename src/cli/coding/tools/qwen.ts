import { folderOf, inHome, inProject, type Machine, pathIn } from '../machine.ts';
import { dollarBraces } from '../mcp-servers.ts';
import { serverChanges } from '../mcp-shape.ts';
import { type Change, type CodingTool, keyPlaceholder, leaves, modelIds, type Wiring } from '../tool.ts';
import { listAt, modelSettings, present, sentHeaders, valueAt, type Winner, type Winners } from '../winners.ts';

function settingsFile(machine: Machine): string {
  return pathIn(machine, folderOf(machine, 'QWEN_HOME', inHome(machine, '.qwen')), 'settings.json');
}

function changes({ root, key, model, smallModel, contextTokens }: Wiring): Change[] {
  const envKey = key.mode === 'env' ? key.variable : 'SVC_API_KEY';
  return [
    ...modelIds({ model, smallModel }).flatMap((id) =>
      leaves(['modelProviders', 'openai', { id, baseUrl: root }], {
        name: `${id} (modelsvc)`,
        envKey,
        generationConfig: { contextWindowSize: contextTokens },
      }),
    ),
    // Without a value, Qwen Code sends the user's OPENAI_API_KEY to the service. A variable of the shell takes precedence over this value.
    ...leaves(['env'], { [envKey]: key.mode === 'plain' ? key.apiKey : `set-${envKey}` }),
    ...leaves([], { security: { auth: { selectedType: 'openai' } }, model: { name: model } }),
  ];
}

const winners: Winners = (content, { root, model, smallModel }) => {
  const models = listAt(content, 'modelProviders', 'openai');
  const first = models.find((one) => valueAt(one, 'id') === model);
  const found: Winner[] = [];
  if (first !== undefined && valueAt(first, 'baseUrl') !== root)
    found.push({ path: ['modelProviders', 'openai'], effect: `an earlier entry for ${model} has another root` });
  const enforced = valueAt(content, 'security', 'auth', 'enforcedType');
  if (enforced !== undefined && enforced !== 'openai')
    found.push({ path: ['security', 'auth', 'enforcedType'], value: 'openai', effect: 'it chooses another provider' });
  for (const id of [model, smallModel]) {
    const item = models.find((one) => valueAt(one, 'id') === id && valueAt(one, 'baseUrl') === root);
    if (valueAt(item, 'generationConfig', 'customHeaders') !== undefined)
      found.push({ path: ['modelProviders', 'openai', { id, baseUrl: root }, 'generationConfig', 'customHeaders'], effect: sentHeaders });
  }
  return [
    ...found,
    ...modelSettings(content, [[['fastModel'], smallModel]]),
    ...present(content, [['model', 'generationConfig', 'customHeaders']], { effect: sentHeaders }),
  ];
};

export const qwen: CodingTool = {
  id: 'qwen',
  name: 'Qwen Code',
  isListed: false,
  program: 'qwen',
  surface: 'chat',
  keyModes: ['env', 'plain'],
  mcpKeyModes: ['env', 'plain'],
  traces: (machine) => [inHome(machine, '.qwen')],
  load: (wiring, machine) => [{ file: settingsFile(machine), format: 'jsonc', changes: changes(wiring) }],
  mcp: (server, machine) => ({
    file: settingsFile(machine),
    format: 'jsonc',
    changes: serverChanges(['mcpServers', server.name], server, dollarBraces, { url: 'httpUrl' }),
  }),
  session: ({ root, model }) => ({
    // The model of the user's settings takes precedence over OPENAI_MODEL.
    args: ['--auth-type', 'openai', '--model', model],
    variables: { OPENAI_API_KEY: keyPlaceholder, OPENAI_BASE_URL: root },
  }),
  winners,
  overrides: (machine) => [
    ...inProject(machine, '.qwen', 'settings.json').map((file) => ({ file, effect: 'settings of the project come before yours' })),
    { variable: 'QWEN_CODE_SYSTEM_SETTINGS_PATH', effect: 'its file comes before yours' },
    { file: '/etc/qwen-code/settings.json', effect: 'system settings come before yours' },
    ...inProject(machine, '.env').map((file) => ({
      file,
      format: 'env' as const,
      when: (variables: unknown) => Object.hasOwn(variables as object, 'SVC_API_KEY'),
      effect: 'its key comes before that of your settings',
    })),
  ],
  after: () => ['Start it with `qwen`.'],
};
