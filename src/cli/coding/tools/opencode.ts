import { firstExisting, inHome, type Machine, pathIn, xdgConfig, xdgData } from '../machine.ts';
import type { CodingTool } from '../tool.ts';
import { openCodeChanges, openCodeMcp, openCodeSession } from './opencode-like.ts';

/** The existing file that takes precedence; otherwise `opencode.json`. */
function settingsFile(machine: Machine): string {
  const folder = xdgConfig(machine, 'opencode');
  const standard = pathIn(machine, folder, 'opencode.json');
  return firstExisting(machine, [pathIn(machine, folder, 'opencode.jsonc'), standard], standard);
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
  overrides: (machine) => [
    { variable: 'OPENCODE_CONFIG', effect: 'its file comes before yours' },
    { variable: 'OPENCODE_CONFIG_CONTENT', effect: 'it comes before every file' },
    ...['opencode.json', 'opencode.jsonc', pathIn(machine, '.opencode', 'opencode.json')].map((name) => ({
      file: pathIn(machine, machine.cwd, name),
      contains: ['"model"', '"provider"', 'disabled_providers'],
      effect: 'settings of the project come before yours',
    })),
    {
      file: inHome(machine, '.opencode', 'opencode.json'),
      contains: ['"model"', '"provider"'],
      effect: 'it comes before the file in the configuration folder',
    },
    { file: '/etc/opencode/opencode.json', contains: ['"model"', '"provider"'], effect: 'managed settings come before yours' },
  ],
  after: () => ['Start it with `opencode`.'],
};
