import { dollarBraces } from '../mcp-servers.ts';
import { serverChanges } from '../mcp-shape.ts';
import { appData, inHome, type Machine, pathIn, xdgConfig } from '../place.ts';
import { type Change, type CodingTool, leaves, modelIds, type Wiring } from '../tool.ts';

const providerName = 'modelsvc';

function folder(place: Machine): string {
  if (place.platform === 'win32') return pathIn(place, appData(place), 'Zed');
  return place.platform === 'darwin' ? inHome(place, '.config', 'zed') : xdgConfig(place, 'zed');
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

export const zed: CodingTool = {
  id: 'zed',
  name: 'Zed',
  isListed: false,
  program: 'zed',
  surface: 'chat',
  // Zed takes the key from the keychain or from a variable with the name of the provider, never from its file.
  keyModes: ['env'],
  keyVariable: 'MODELSVC_API_KEY',
  mcpKeyModes: ['plain'],
  traces: (place) => [folder(place)],
  load: (wiring, place) => [{ file: pathIn(place, folder(place), 'settings.json'), format: 'jsonc', changes: changes(wiring) }],
  mcp: (server, place) => ({
    file: pathIn(place, folder(place), 'settings.json'),
    format: 'jsonc',
    changes: serverChanges(['context_servers', server.name], server, dollarBraces),
  }),
  overrides: (place) => [
    {
      file: pathIn(place, place.cwd, '.zed', 'settings.json'),
      contains: ['language_models', 'default_model'],
      effect: 'settings of the project come before yours',
    },
  ],
  after: () => ['Store the key in the settings of its agent panel, or start Zed with the variable.'],
};
