import { appData, inHome, inProject, type Machine, pathIn, xdgConfig } from '../machine.ts';
import { dollarBraces } from '../mcp-servers.ts';
import { serverChanges } from '../mcp-shape.ts';
import { type Change, type CodingTool, leaves, modelIds, type Wiring } from '../tool.ts';
import { modelSettings, present, sentHeaders, valueAt, type Winners } from '../winners.ts';

const providerName = 'modelsvc';

function folder(machine: Machine): string {
  if (machine.platform === 'win32') return pathIn(machine, appData(machine), 'Zed');
  return machine.platform === 'darwin' ? inHome(machine, '.config', 'zed') : xdgConfig(machine, 'zed');
}

function changes({ root, model, smallModel, contextTokens, outputTokens }: Wiring): Change[] {
  const path = ['language_models', 'openai_compatible', providerName];
  const capabilities = {
    tools: true,
    images: false,
    parallel_tool_calls: true,
    prompt_cache_key: false,
    chat_completions: true,
    interleaved_reasoning: true,
  };
  return [
    ...leaves(path, { api_url: root }),
    ...modelIds({ model, smallModel }).flatMap((name) =>
      leaves([...path, 'available_models', { name }], {
        display_name: name,
        max_tokens: contextTokens,
        max_output_tokens: outputTokens,
        capabilities,
      }),
    ),
    ...leaves(['agent', 'default_model'], { provider: providerName, model }),
  ];
}

/** Settings that apply only to a channel or system. */
const variants = ['dev', 'nightly', 'preview', 'stable', 'linux', 'macos', 'windows'];

const winners: Winners = (content, { model }) => {
  const profile = ['agent', 'profiles', String(valueAt(content, 'agent', 'default_profile') ?? 'write'), 'default_model'];
  const otherModels = ['inline_assistant_model', 'commit_message_model', 'thread_summary_model', 'subagent_model'];
  return [
    ...modelSettings(content, [
      [[...profile, 'provider'], providerName],
      [[...profile, 'model'], model],
    ]),
    ...present(
      content,
      variants.map((name) => [name, 'agent', 'default_model']),
      { effect: 'it chooses another model' },
    ),
    ...present(
      content,
      otherModels.map((name) => ['agent', name]),
      { effect: 'this part of Zed asks another model', isPartial: true },
    ),
    ...(valueAt(content, 'disable_ai') === true ? [{ path: ['disable_ai'], effect: 'Zed asks no model' }] : []),
    ...present(content, [['language_models', 'openai_compatible', providerName, 'custom_headers']], { effect: sentHeaders }),
  ];
};

export const zed: CodingTool = {
  id: 'zed',
  name: 'Zed',
  isListed: false,
  program: 'zed',
  surface: 'chat',
  // Zed takes the key from the keychain or from a variable with the name of the provider, never from its file.
  keyModes: ['env'],
  keyVariables: { load: 'MODELSVC_API_KEY' },
  mcpKeyModes: ['plain'],
  traces: (machine) => [folder(machine)],
  load: (wiring, machine) => [{ file: pathIn(machine, folder(machine), 'settings.json'), format: 'jsonc', changes: changes(wiring) }],
  mcp: (server, machine) => ({
    file: pathIn(machine, folder(machine), 'settings.json'),
    format: 'jsonc',
    changes: serverChanges(['context_servers', server.name], server, dollarBraces),
  }),
  winners,
  overrides: (machine) => inProject(machine, '.zed', 'settings.json').map((file) => ({ file, effect: 'settings of the project come before yours' })),
  after: () => ['Store the key in the settings of its agent panel, or start Zed with the variable.'],
};
