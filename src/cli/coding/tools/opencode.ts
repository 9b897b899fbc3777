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
  traces: (machine) => [openCodeFolder(machine, 'opencode'), xdgData(machine, 'opencode')],
  load: (wiring, machine) => [{ file: settingsFile(machine), format: 'jsonc', changes: openCodeChanges(wiring) }],
  mcp: (server, machine) => ({ file: settingsFile(machine), format: 'jsonc', changes: openCodeMcp(server) }),
  session: openCodeSession('OPENCODE_CONFIG_CONTENT'),
  rivals: ({ machine, ...aim }) => [
    { variable: 'OPENCODE_CONFIG_CONTENT', effect: 'it comes before every file' },
    { variable: 'OPENCODE_CONFIG', effect: 'its file comes before yours' },
    { files: names.map((name) => `/etc/opencode/${name}`), effect: 'managed settings come before yours' },
    ...eachFile(openCodeOthers(machine, 'opencode', names), 'it comes before the file in the configuration folder'),
    { files: openCodeFiles(machine, 'opencode', names), effect: 'it comes before the file that was wired' },
    ...openCodeRivals(aim),
  ],
  after: () => ['Start it with `opencode`.'],
};
