import { filesBefore, inHome, inProject, type Machine, xdgConfig, xdgData } from '../machine.ts';
import type { CodingTool } from '../tool.ts';
import { openCodeChanges, openCodeFile, openCodeFiles, openCodeMcp, openCodeSession, openCodeWinners } from './opencode-like.ts';

/** In order of precedence. */
const names = ['opencode.jsonc', 'opencode.json', 'kilo.jsonc', 'kilo.json'];

function settingsFile(machine: Machine): string {
  return openCodeFile(machine, 'kilo', names);
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
      ...filesBefore(openCodeFiles(machine, 'kilo', names), own),
      ...names.flatMap((name) => [...inProject(machine, name), ...inProject(machine, '.kilo', name)]),
      ...names.map((name) => inHome(machine, '.kilo', name)),
      ...names.map((name) => `/etc/kilo/${name}`),
    ].map((file) => ({ file, effect: 'it comes before your settings' })),
  ],
  after: () => ['Start it with `kilo`. The extension for VS Code uses the same file.'],
};
