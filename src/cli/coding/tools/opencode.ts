import { firstExisting, inHome, type Machine, pathIn, xdgConfig, xdgData } from '../place.ts';
import type { CodingTool } from '../tool.ts';
import { openCodeChanges, openCodeMcp, openCodeSession } from './opencode-like.ts';

/** The file that comes first of those that exist. */
function settingsFile(place: Machine): string {
  const folder = xdgConfig(place, 'opencode');
  const standard = pathIn(place, folder, 'opencode.json');
  return firstExisting(place, [pathIn(place, folder, 'opencode.jsonc'), standard], standard);
}

export const openCode: CodingTool = {
  id: 'opencode',
  name: 'OpenCode',
  isListed: true,
  program: 'opencode',
  surface: 'chat',
  keyModes: ['env', 'plain'],
  mcpKeyModes: ['env', 'plain'],
  traces: (place) => [xdgConfig(place, 'opencode'), xdgData(place, 'opencode')],
  load: (wiring, place) => [{ file: settingsFile(place), format: 'jsonc', changes: openCodeChanges(wiring) }],
  mcp: (server, place) => ({ file: settingsFile(place), format: 'jsonc', changes: openCodeMcp(server) }),
  session: openCodeSession('OPENCODE_CONFIG_CONTENT'),
  overrides: (place) => [
    { variable: 'OPENCODE_CONFIG', effect: 'its file comes before yours' },
    { variable: 'OPENCODE_CONFIG_CONTENT', effect: 'it comes before every file' },
    ...['opencode.json', 'opencode.jsonc', pathIn(place, '.opencode', 'opencode.json')].map((name) => ({
      file: pathIn(place, place.cwd, name),
      contains: ['"model"', '"provider"', 'disabled_providers'],
      effect: 'settings of the project come before yours',
    })),
    {
      file: inHome(place, '.opencode', 'opencode.json'),
      contains: ['"model"', '"provider"'],
      effect: 'it comes before the file in the configuration folder',
    },
    { file: '/etc/opencode/opencode.json', contains: ['"model"', '"provider"'], effect: 'managed settings come before yours' },
  ],
  after: () => ['Start it with `opencode`.'],
};
