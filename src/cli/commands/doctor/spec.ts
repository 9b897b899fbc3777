import type { Command } from '../../cli.ts';

export const spec: Command = {
  name: 'doctor',
  summary: 'Find out why a command does not work',
  details:
    'Checks Node, the store of accounts, the key in use, variables, the network, the key at the service, the clock and the quota. Sends free calls only. Exit code 1 if there is a problem.',
  examples: [
    ['doctor', 'Check everything'],
    ['doctor --account work --json', 'Check one account, as JSON'],
  ],
  load: async () => (await import('./doctor.ts')).run,
};
