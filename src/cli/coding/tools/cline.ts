import { dollarBraces } from '../mcp-servers.ts';
import { serverChanges } from '../mcp-shape.ts';
import { folderOf, inHome, type Machine, pathIn } from '../place.ts';
import { type Change, type CodingTool, leaves, type Wiring } from '../tool.ts';

function folder(place: Machine): string {
  return folderOf(place, 'CLINE_DATA_DIR', pathIn(place, folderOf(place, 'CLINE_DIR', inHome(place, '.cline')), 'data'));
}

function changes({ root, key, model }: Wiring): Change[] {
  const id = 'zai-coding-plan';
  // Without `apiKey` Cline takes the key of this provider from ZHIPU_API_KEY.
  const settings = { provider: id, apiKey: key.mode === 'plain' ? key.apiKey : undefined, model, baseUrl: root };
  return [
    ...leaves([], { version: 1, lastUsedProvider: id, providers: { [id]: { settings, tokenSource: 'manual' } } }),
    // Cline replaces the whole file, with all providers of the user, if one of them has no time. It sets the time whenever it runs.
    { path: ['providers', id, 'updatedAt'], value: new Date(0).toISOString(), isStamp: true },
  ];
}

export const cline: CodingTool = {
  id: 'cline',
  name: 'Cline',
  isListed: true,
  program: 'cline',
  surface: 'chat',
  keyModes: ['env', 'plain'],
  keyVariable: 'ZHIPU_API_KEY',
  // Headers of MCP servers take no reference.
  mcpKeyModes: ['plain'],
  traces: (place) => [inHome(place, '.cline')],
  load: (wiring, place) => [
    {
      file: folderOf(place, 'CLINE_PROVIDER_SETTINGS_PATH', pathIn(place, folder(place), 'settings', 'providers.json')),
      format: 'json',
      changes: changes(wiring),
    },
  ],
  mcp: (server, place) => ({
    file: folderOf(place, 'CLINE_MCP_SETTINGS_PATH', pathIn(place, folder(place), 'settings', 'cline_mcp_settings.json')),
    format: 'json',
    changes: serverChanges(['mcpServers', server.name, 'transport'], server, dollarBraces, { http: 'streamableHttp', stdio: 'stdio' }),
  }),
  after: () => ['Start it with `cline`. The extension for VS Code uses the same file, and needs --key-mode plain.'],
};
