import { eachFile } from '../rivals.ts';
import type { CodingTool } from '../tool.ts';
import { earlierFiles, filesOf, openCodeLike } from './opencode-like.ts';

const names = ['opencode.jsonc', 'opencode.json', 'kilo.jsonc', 'kilo.json'];

export const kilo: CodingTool = openCodeLike({
  id: 'kilo',
  name: 'Kilo Code',
  names,
  start: 'Start it with `kilo`. The extension for VS Code uses the same file.',
  fileRivals: (machine) =>
    eachFile(
      [names.map((name) => `/etc/kilo/${name}`), ...earlierFiles(machine, 'kilo', names), filesOf(machine, 'kilo', names)],
      'it comes before your settings',
    ),
});
