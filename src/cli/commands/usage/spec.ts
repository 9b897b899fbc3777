import { teamOptions } from '../../accounts/team.ts';
import type { Command } from '../../cli.ts';

export const spec: Command = {
  name: 'usage',
  summary: 'Show calls, tokens and credits by model, tool and time',
  details:
    'Calls are free. The default range is the last 24 hours. A date is 2026-08-06 or "2026-08-06 14:00", in the local time zone. The service counts by the hour up to 8 days, and by the day beyond. A V3 plan has credits, and the shares of cached input and of peak hours. There the service counts by the hour up to 6 days, and --by day has whole days.',
  options: [
    { name: 'days', kind: 'integer', value: 'N', summary: 'The last N times 24 hours; 0 is since midnight' },
    { name: 'since', kind: 'text', value: 'DATE', summary: 'Start of the range' },
    { name: 'until', kind: 'text', value: 'DATE', summary: 'End of the range. A date alone includes its day', default: 'now' },
    { name: 'by', kind: 'text', value: 'UNIT', choices: ['model', 'tool', 'hour', 'day'], summary: 'One list' },
    ...teamOptions,
  ],
  examples: [
    ['usage', 'The last 24 hours'],
    ['usage --days 7 --by day', 'A line for each day of a week'],
    ['usage --since 2026-08-01 --until 2026-08-05 --by model --json', 'Tokens by model, as JSON'],
  ],
  load: async () => (await import('./show.ts')).run,
  commands: [
    {
      name: 'subscription',
      summary: 'List the plans of the account, with their renewal',
      examples: [['usage subscription', 'Current and past plans']],
      load: async () => (await import('./usage.ts')).subscription,
    },
    {
      name: 'account',
      aliases: ['balance'],
      summary: 'Show facts about the account',
      details: 'Unconfirmed: the service may not have this operation, and then fails with code 500.',
      examples: [['usage account', 'All that the service returns about the account']],
      load: async () => (await import('./usage.ts')).account,
    },
  ],
};
