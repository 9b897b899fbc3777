import { folderOf, inHome, type Machine, pathIn } from '../machine.ts';
import { dollarBraces } from '../mcp-servers.ts';
import { serverChanges } from '../mcp-shape.ts';
import { sentHeaders } from '../rivals.ts';
import { type Change, type CodingTool, leaves, type Wiring } from '../tool.ts';

function folder(machine: Machine): string {
  return folderOf(machine, 'CLINE_DATA_DIR', pathIn(machine, folderOf(machine, 'CLINE_DIR', inHome(machine, '.cline')), 'data'));
}

function providersFile(machine: Machine): string {
  return folderOf(machine, 'CLINE_PROVIDER_SETTINGS_PATH', pathIn(machine, folder(machine), 'settings', 'providers.json'));
}

function serversFile(machine: Machine): string {
  return folderOf(machine, 'CLINE_MCP_SETTINGS_PATH', pathIn(machine, folder(machine), 'settings', 'cline_mcp_settings.json'));
}

const id = 'zai-coding-plan';
const settings = ['providers', id, 'settings'];

function changes({ root, key, model }: Wiring): Change[] {
  // Without `apiKey` Cline takes the key of this provider from ZHIPU_API_KEY.
  const own = { provider: id, apiKey: key.mode === 'plain' ? key.apiKey : undefined, model, baseUrl: root };
  return [
    ...leaves([], { version: 1, lastUsedProvider: id, providers: { [id]: { settings: own, tokenSource: 'manual' } } }),
    // Cline overwrites the file, with all providers of the user, if one of them has no `updatedAt`. It sets this time whenever it runs.
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
  keyVariables: { load: 'ZHIPU_API_KEY' },
  // Headers of MCP servers cannot refer to a variable.
  mcpKeyModes: ['plain'],
  traces: (machine) => [folder(machine), providersFile(machine), serversFile(machine)],
  load: (wiring, machine) => [{ file: providersFile(machine), format: 'json', changes: changes(wiring) }],
  mcp: (server, machine) => ({
    file: serversFile(machine),
    format: 'json',
    changes: serverChanges(['mcpServers', server.name, 'transport'], server, dollarBraces, { http: 'streamableHttp', stdio: 'stdio' }),
  }),
  rivals: ({ keyMode }) => [
    ...(keyMode === 'env' ? [{ path: [...settings, 'apiKey'], effect: 'this key comes before ZHIPU_API_KEY; --key-mode plain replaces it' }] : []),
    { path: [...settings, 'auth'], effect: 'this sign-in comes before the key' },
    { path: [...settings, 'headers'], effect: sentHeaders },
  ],
  after: () => ['Start it with `cline`. The extension for VS Code uses the same file, and needs --key-mode plain.'],
};
