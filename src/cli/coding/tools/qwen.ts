import { find } from '../edits/values.ts';
import { folderOf, inHome, inProject, type Machine, pathIn } from '../machine.ts';
import { dollarBraces } from '../mcp-servers.ts';
import { serverChanges } from '../mcp-shape.ts';
import { each, otherModel, sentHeaders } from '../rivals.ts';
import { type Change, type CodingTool, keyPlaceholder, leaves, modelIds, type Wiring } from '../tool.ts';

const models = ['modelProviders', 'openai'];

function folder(machine: Machine): string {
  return folderOf(machine, 'QWEN_HOME', inHome(machine, '.qwen'));
}

function settingsFile(machine: Machine): string {
  return pathIn(machine, folder(machine), 'settings.json');
}

function changes({ root, key, model, smallModel, contextTokens }: Wiring): Change[] {
  const envKey = key.mode === 'env' ? key.variable : 'SVC_API_KEY';
  return [
    ...modelIds({ model, smallModel }).flatMap((id) =>
      leaves([...models, { id, baseUrl: root }], {
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
  traces: (machine) => [folder(machine)],
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
  rivals: ({ machine, root, model, smallModel }) => [
    { variable: 'QWEN_CODE_SYSTEM_SETTINGS_PATH', effect: 'its file comes before yours' },
    { files: ['/etc/qwen-code/settings.json'], effect: 'system settings come before yours' },
    { files: inProject(machine, '.qwen', 'settings.json'), effect: 'settings of the project come before yours' },
    { files: inProject(machine, '.env'), format: 'env', path: ['SVC_API_KEY'], effect: 'its key comes before the one in your settings' },
    {
      path: models,
      when: (now) => ![root, undefined].includes(find(now, [{ id: model }, 'baseUrl']) as string | undefined),
      effect: `an earlier entry for ${model} has another root`,
    },
    { path: ['security', 'auth', 'enforcedType'], value: 'openai', effect: 'it chooses another provider' },
    { path: ['fastModel'], value: smallModel, effect: otherModel },
    ...each(
      [['model'], ...modelIds({ model, smallModel }).map((id) => [...models, { id, baseUrl: root }])].map((way) => [
        ...way,
        'generationConfig',
        'customHeaders',
      ]),
      { effect: sentHeaders },
    ),
  ],
  after: () => ['Start it with `qwen`.'],
};
