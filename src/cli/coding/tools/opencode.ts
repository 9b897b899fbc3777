import { eachFile } from '../rivals.ts';
import type { CodingTool } from '../tool.ts';
import { earlierFiles, filesOf, openCodeLike } from './opencode-like.ts';

const names = ['opencode.jsonc', 'opencode.json'];

export const openCode: CodingTool = openCodeLike({
  id: 'opencode',
  name: 'OpenCode',
  names,
  start: 'Start it with `opencode`.',
  fileRivals: (machine) => [
    { files: names.map((name) => `/etc/opencode/${name}`), effect: 'managed settings come before yours' },
    ...eachFile(earlierFiles(machine, 'opencode', names), 'it comes before the file in the configuration folder'),
    { files: filesOf(machine, 'opencode', names), effect: 'it comes before the file that was wired' },
  ],
});
