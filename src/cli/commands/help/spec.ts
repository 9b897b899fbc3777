import type { CommandSpec } from '../../table/spec.ts';

export const spec: CommandSpec = {
  name: 'help',
  summary: 'Help for a command, or a topic',
  details: 'Topics: faults, exit-codes, environment. With --json, the complete table of commands for other programs.',
  arguments: [{ name: 'COMMAND', summary: 'Names of a command or a topic', variadic: true }],
  examples: [
    ['help chat', 'Help of a command'],
    ['help exit-codes', 'The exit codes'],
    ['help --json', 'All commands as JSON'],
  ],
  load: () => import('./run.ts'),
};
