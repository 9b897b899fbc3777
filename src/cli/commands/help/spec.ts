import type { Command } from '../../cli.ts';
import type { Section } from '../../table/spec.ts';

/** The table is a parameter, because it contains this command: importing it here would be a circle. */
export const specFor = (sections: readonly Section[]): Command => ({
  name: 'help',
  summary: 'Help for a command, or a topic',
  details: 'Topics: options, faults, exit-codes, environment. With --json, the complete table of commands for other programs.',
  arguments: [{ name: 'COMMAND', summary: 'Names of a command or a topic', variadic: true }],
  options: [{ name: 'all', summary: 'All commands and options with their meaning' }],
  examples: [
    ['help --all', 'The whole list'],
    ['help chat', 'Help of a command'],
    ['help exit-codes', 'The exit codes'],
    ['help faults', 'The faults of `mock`, with their effects'],
    ['help --json', 'All commands as JSON'],
  ],
  load: async () => (await import('./help.ts')).helpFor(sections),
});
