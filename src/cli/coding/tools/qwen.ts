import { folderOf, inHome, type Machine, pathIn } from '../machine.ts';
import { dollarBraces } from '../mcp-servers.ts';
import { serverChanges } from '../mcp-shape.ts';
import { type Change, type CodingTool, keyPlaceholder, leaves, modelIds, type Wiring } from '../tool.ts';

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
  overrides: (machine) => [
    {
      file: pathIn(machine, machine.cwd, '.qwen', 'settings.json'),
      contains: ['modelProviders', '"model"', 'selectedType'],
      effect: 'settings of the project come before yours',
    },
    { variable: 'QWEN_CODE_SYSTEM_SETTINGS_PATH', effect: 'its file comes before yours' },
    { file: '/etc/qwen-code/settings.json', contains: ['modelProviders', '"model"', 'selectedType'], effect: 'system settings come before yours' },
    { file: pathIn(machine, machine.cwd, '.env'), contains: ['SVC_API_KEY'], effect: 'its key comes before that of your settings' },
  ],
  after: () => ['Start it with `qwen`.'],
};
