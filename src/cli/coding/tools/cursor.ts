import { inHome } from '../machine.ts';
import { referenceWith } from '../mcp-servers.ts';
import { serverChanges } from '../mcp-shape.ts';
import type { CodingTool } from '../tool.ts';

const variable = referenceWith((name) => `\${env:${name}}`);

export const cursor: CodingTool = {
  id: 'cursor',
  name: 'Cursor',
  isListed: true,
  surface: 'chat',
  keyModes: ['plain'],
  mcpKeyModes: ['env', 'plain'],
  traces: (machine) => [inHome(machine, '.cursor')],
  mcp: (server, machine) => ({
    file: inHome(machine, '.cursor', 'mcp.json'),
    format: 'json',
    changes: serverChanges(['mcpServers', server.name], server, variable),
  }),
  guide: ({ root, model }) => [
    'Cursor keeps its key in a database, which it overwrites while it runs; set it by hand.',
    'Open Cursor Settings, then Models, then API Keys.',
    'Enter your key as the OpenAI API Key: `modelsvc accounts token` prints it.',
    `Turn on Override OpenAI Base URL, and enter ${root}.`,
    `Choose Add model, enter ${model}, and turn it on. If it is refused, write the name in upper case.`,
    'Tab completion never uses this key, and other built-in models stop while the override is on.',
  ],
};
