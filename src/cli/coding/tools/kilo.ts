import { type Machine, xdgData } from '../machine.ts';
import { eachFile } from '../rivals.ts';
import type { CodingTool } from '../tool.ts';
import {
  openCodeChanges,
  openCodeFile,
  openCodeFiles,
  openCodeFolder,
  openCodeMcp,
  openCodeOthers,
  openCodeRivals,
  openCodeSession,
} from './opencode-like.ts';

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
  traces: (machine) => [openCodeFolder(machine, 'kilo'), xdgData(machine, 'kilo')],
  load: (wiring, machine) => [{ file: settingsFile(machine), format: 'jsonc', changes: openCodeChanges(wiring) }],
  mcp: (server, machine) => ({ file: settingsFile(machine), format: 'jsonc', changes: openCodeMcp(server) }),
  session: openCodeSession('KILO_CONFIG_CONTENT'),
  rivals: ({ machine, ...aim }) => [
    { variable: 'KILO_CONFIG_CONTENT', effect: 'it comes before every file' },
    { variable: 'KILO_CONFIG', effect: 'its file comes before yours' },
    ...eachFile(
      [names.map((name) => `/etc/kilo/${name}`), ...openCodeOthers(machine, 'kilo', names), openCodeFiles(machine, 'kilo', names)],
      'it comes before your settings',
    ),
    ...openCodeRivals(aim),
  ],
  after: () => ['Start it with `kilo`. The extension for VS Code uses the same file.'],
};
