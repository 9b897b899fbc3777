import { filesBefore, inHome, inProject, type Machine, xdgConfig, xdgData } from '../machine.ts';
import type { CodingTool } from '../tool.ts';
import { openCodeChanges, openCodeFile, openCodeFiles, openCodeMcp, openCodeSession, openCodeWinners } from './opencode-like.ts';

/** In order of precedence. */
const names = ['opencode.jsonc', 'opencode.json'];

function settingsFile(machine: Machine): string {
  return openCodeFile(machine, 'opencode', names);
}

export const openCode: CodingTool = {
  id: 'opencode',
  name: 'OpenCode',
  isListed: true,
  program: 'opencode',
  surface: 'chat',
  keyModes: ['env', 'plain'],
  mcpKeyModes: ['env', 'plain'],
  traces: (machine) => [xdgConfig(machine, 'opencode'), xdgData(machine, 'opencode')],
  load: (wiring, machine) => [{ file: settingsFile(machine), format: 'jsonc', changes: openCodeChanges(wiring) }],
  mcp: (server, machine) => ({ file: settingsFile(machine), format: 'jsonc', changes: openCodeMcp(server) }),
  session: openCodeSession('OPENCODE_CONFIG_CONTENT'),
  winners: openCodeWinners,
  overrides: (machine, own) => [
    { variable: 'OPENCODE_CONFIG', effect: 'its file comes before yours' },
    { variable: 'OPENCODE_CONFIG_CONTENT', effect: 'it comes before every file' },
    ...filesBefore(openCodeFiles(machine, 'opencode', names), own).map((file) => ({ file, effect: 'it comes before the file that was wired' })),
    ...names
      .flatMap((name) => [...inProject(machine, name), ...inProject(machine, '.opencode', name)])
      .map((file) => ({ file, effect: 'settings of the project come before yours' })),
    ...names.map((name) => ({ file: inHome(machine, '.opencode', name), effect: 'it comes before the file in the configuration folder' })),
    ...names.map((name) => ({ file: `/etc/opencode/${name}`, effect: 'managed settings come before yours' })),
  ],
  after: () => ['Start it with `opencode`.'],
};
