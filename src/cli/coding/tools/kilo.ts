import { firstExisting, inHome, type Machine, pathIn, xdgConfig, xdgData } from '../machine.ts';
import type { CodingTool } from '../tool.ts';
import { openCodeChanges, openCodeMcp, openCodeSession } from './opencode-like.ts';

/** The existing file that takes precedence; otherwise `kilo.json`. */
function settingsFile(machine: Machine): string {
  const folder = xdgConfig(machine, 'kilo');
  const standard = pathIn(machine, folder, 'kilo.json');
  return firstExisting(
    machine,
    ['opencode.jsonc', 'opencode.json', 'kilo.jsonc', 'kilo.json'].map((name) => pathIn(machine, folder, name)),
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
  traces: (machine) => [xdgConfig(machine, 'kilo'), xdgData(machine, 'kilo')],
  load: (wiring, machine) => [{ file: settingsFile(machine), format: 'jsonc', changes: openCodeChanges(wiring) }],
  mcp: (server, machine) => ({ file: settingsFile(machine), format: 'jsonc', changes: openCodeMcp(server) }),
  session: openCodeSession('KILO_CONFIG_CONTENT'),
  overrides: (machine) => [
    { variable: 'KILO_CONFIG', effect: 'its file comes before yours' },
    { variable: 'KILO_CONFIG_CONTENT', effect: 'it comes before every file' },
    ...[
      ...['kilo.json', 'kilo.jsonc', 'opencode.json', 'opencode.jsonc'].map((name) => pathIn(machine, machine.cwd, name)),
      pathIn(machine, machine.cwd, '.kilo', 'kilo.json'),
      inHome(machine, '.kilo', 'kilo.json'),
      '/etc/kilo/kilo.json',
    ].map((file) => ({ file, contains: ['"model"', '"provider"'], effect: 'it comes before your settings' })),
  ],
  after: () => ['Start it with `kilo`. The extension for VS Code uses the same file.'],
};
