import { filesBefore, firstExisting, inHome, inProject, type Machine, pathIn, xdgConfig, xdgData } from '../machine.ts';
import type { CodingTool } from '../tool.ts';
import { openCodeChanges, openCodeMcp, openCodeSession, openCodeWinners } from './opencode-like.ts';

/** In order of precedence. */
const names = ['opencode.jsonc', 'opencode.json', 'kilo.jsonc', 'kilo.json'];

function candidates(machine: Machine): readonly string[] {
  return names.map((name) => pathIn(machine, xdgConfig(machine, 'kilo'), name));
}

/** The existing file that takes precedence; otherwise `kilo.json`. */
function settingsFile(machine: Machine): string {
  return firstExisting(machine, candidates(machine), pathIn(machine, xdgConfig(machine, 'kilo'), 'kilo.json'));
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
  winners: openCodeWinners,
  overrides: (machine, own) => [
    { variable: 'KILO_CONFIG', effect: 'its file comes before yours' },
    { variable: 'KILO_CONFIG_CONTENT', effect: 'it comes before every file' },
    ...[
      ...filesBefore(candidates(machine), own),
      ...names.flatMap((name) => [...inProject(machine, name), ...inProject(machine, '.kilo', name)]),
      ...names.map((name) => inHome(machine, '.kilo', name)),
      ...names.map((name) => `/etc/kilo/${name}`),
    ].map((file) => ({ file, effect: 'it comes before your settings' })),
  ],
  after: () => ['Start it with `kilo`. The extension for VS Code uses the same file.'],
};
