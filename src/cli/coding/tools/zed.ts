import type { Path } from '../edits/edit.ts';
import { find } from '../edits/values.ts';
import { appData, inHome, inProject, type Machine, pathIn, xdgConfig } from '../machine.ts';
import { dollarBraces } from '../mcp-servers.ts';
import { serverChanges } from '../mcp-shape.ts';
import { each, isTrue, otherModel, sentHeaders } from '../rivals.ts';
import { type Change, type CodingTool, leaves, modelIds, type Wiring } from '../tool.ts';

const providerName = 'modelsvc';
const provider = ['language_models', 'openai_compatible', providerName];
const profile = ['agent', 'profiles', '*', 'default_model'];

function folder(machine: Machine): string {
  if (machine.platform === 'win32') return pathIn(machine, appData(machine), 'Zed');
  return machine.platform === 'darwin' ? inHome(machine, '.config', 'zed') : xdgConfig(machine, 'zed');
}

function changes({ root, model, smallModel, contextTokens, outputTokens }: Wiring): Change[] {
  const capabilities = {
    tools: true,
    images: false,
    parallel_tool_calls: true,
    prompt_cache_key: false,
    chat_completions: true,
    interleaved_reasoning: true,
  };
  return [
    ...leaves(provider, { api_url: root }),
    ...modelIds({ model, smallModel }).flatMap((name) =>
      leaves([...provider, 'available_models', { name }], {
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

function isDefaultProfile(_: unknown, at: Path, content: unknown): boolean {
  return at[2] === (find(content, ['agent', 'default_profile']) ?? 'write');
}

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
  rivals: ({ machine, model }) => [
    { files: inProject(machine, '.zed', 'settings.json'), effect: 'settings of the project come before yours' },
    { path: [...profile, 'provider'], when: isDefaultProfile, value: providerName, effect: otherModel },
    { path: [...profile, 'model'], when: isDefaultProfile, value: model, effect: otherModel },
    ...each(
      variants.map((name) => [name, 'agent', 'default_model']),
      { effect: otherModel },
    ),
    ...each(
      ['inline_assistant_model', 'commit_message_model', 'thread_summary_model', 'subagent_model'].map((name) => ['agent', name]),
      { effect: 'this part of Zed asks another model', isPartial: true },
    ),
    { path: ['disable_ai'], when: isTrue, effect: 'Zed asks no model' },
    { path: [...provider, 'custom_headers'], effect: sentHeaders },
  ],
  after: () => ['Store the key in the settings of its agent panel, or start Zed with the variable.'],
};
