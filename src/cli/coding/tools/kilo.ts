import { firstExisting, inHome, type Machine, pathIn, xdgConfig, xdgData } from '../place.ts';
import type { CodingTool } from '../tool.ts';
import { openCodeChanges, openCodeMcp, openCodeSession } from './opencode-like.ts';

/** The file that comes first of those that exist. */
function settingsFile(place: Machine): string {
  const folder = xdgConfig(place, 'kilo');
  const standard = pathIn(place, folder, 'kilo.json');
  return firstExisting(
    place,
    ['opencode.jsonc', 'opencode.json', 'kilo.jsonc', 'kilo.json'].map((name) => pathIn(place, folder, name)),
    standard,
  );
}

export const kilo: CodingTool = {
  id: 'kilo',
  name: 'Kilo Code',
  isListed: true,
  program: 'kilo',
  surface: 'chat',
  keyModes: ['env', 'plain'],
  mcpKeyModes: ['env', 'plain'],
  traces: (place) => [xdgConfig(place, 'kilo'), xdgData(place, 'kilo')],
  load: (wiring, place) => [{ file: settingsFile(place), format: 'jsonc', changes: openCodeChanges(wiring) }],
  mcp: (server, place) => ({ file: settingsFile(place), format: 'jsonc', changes: openCodeMcp(server) }),
  session: openCodeSession('KILO_CONFIG_CONTENT'),
  overrides: (place) => [
    { variable: 'KILO_CONFIG', effect: 'its file comes before yours' },
    { variable: 'KILO_CONFIG_CONTENT', effect: 'it comes before every file' },
    ...[
      ...['kilo.json', 'kilo.jsonc', 'opencode.json', 'opencode.jsonc'].map((name) => pathIn(place, place.cwd, name)),
      pathIn(place, place.cwd, '.kilo', 'kilo.json'),
      inHome(place, '.kilo', 'kilo.json'),
      '/etc/kilo/kilo.json',
    ].map((file) => ({ file, contains: ['"model"', '"provider"'], effect: 'it comes before your settings' })),
  ],
  after: () => ['Start it with `kilo`. The extension for VS Code uses the same file.'],
};
