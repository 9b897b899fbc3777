import { planRoots } from '../../hosts.ts';
import { folderOf, inHome, inProject, type Machine, pathIn } from '../machine.ts';
import { dollarBraces, referenceWith } from '../mcp-servers.ts';
import { serverChanges } from '../mcp-shape.ts';
import { sentHeaders, texts } from '../rivals.ts';
import { type Change, type CodingTool, keyPlaceholder, leaves, modelIds, type Wiring } from '../tool.ts';

const providerId = 'modelsvc';

/** Pi runs a text after an exclamation mark as a command. */
const keyText = referenceWith(
  (name) => `$${name}`,
  (line) => `!${line}`,
);

function folder(machine: Machine): string {
  return folderOf(machine, 'PI_CODING_AGENT_DIR', inHome(machine, '.pi', 'agent'));
}

function models({ root, key, model, smallModel, contextTokens, outputTokens }: Wiring): Change[] {
  const path = ['providers', providerId];
  const limits = { reasoning: true, contextWindow: contextTokens, maxTokens: outputTokens };
  return [
    ...leaves(path, {
      baseUrl: root,
      api: 'openai-completions',
      apiKey: keyText(key),
      compat: { supportsDeveloperRole: false, thinkingFormat: 'zai' },
    }),
    ...modelIds({ model, smallModel }).flatMap((id) => leaves([...path, 'models', { id }], limits)),
  ];
}

export const pi: CodingTool = {
  id: 'pi',
  name: 'Pi',
  isListed: true,
  program: 'pi',
  surface: 'chat',
  keyModes: ['helper', 'env', 'plain'],
  keyText,
  traces: (machine) => [folder(machine)],
  load: (wiring, machine) => [
    { file: pathIn(machine, folder(machine), 'models.json'), format: 'json', changes: models(wiring) },
    {
      file: pathIn(machine, folder(machine), 'settings.json'),
      format: 'json',
      changes: leaves([], { defaultProvider: providerId, defaultModel: wiring.model }),
    },
  ],
  mcp: (server, machine) => ({
    file: pathIn(machine, folder(machine), 'mcp.json'),
    format: 'json',
    changes: serverChanges(['mcpServers', server.name], server, dollarBraces, { http: 'http' }),
  }),
  mcpKeyModes: ['env', 'plain'],
  // The provider `zai` of Pi has a fixed root.
  session: ({ model, root }) =>
    root === planRoots.global ? { args: ['--provider', 'zai', '--model', model], variables: { ZAI_API_KEY: keyPlaceholder } } : undefined,
  rivals: ({ machine, model }) => [
    { files: [pathIn(machine, folder(machine), 'auth.json')], path: [providerId], effect: 'its key comes before the one in models.json' },
    { files: inProject(machine, '.pi', 'settings.json'), effect: 'settings of the project come before yours' },
    {
      path: ['enabledModels'],
      when: (now) => texts(now).length > 0 && ![model, `${providerId}/${model}`, `${providerId}/*`].some((one) => texts(now).includes(one)),
      value: (now) => [...texts(now), `${providerId}/${model}`],
      effect: 'it leaves the model out',
    },
    { path: ['providers', providerId, 'headers'], effect: sentHeaders },
  ],
  after: () => ['Start it with `pi`.'],
};
