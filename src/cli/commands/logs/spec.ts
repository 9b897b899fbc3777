import type { Command } from '../../cli.ts';
import type { OptionSpec } from '../../table/spec.ts';

const filters: readonly OptionSpec[] = [
  { name: 'model', short: 'm', kind: 'text', value: 'ID', summary: 'Only this model', complete: 'model' },
  { name: 'conversation', kind: 'text', value: 'NAME|ID', summary: 'Only this conversation, by its name or the id that `logs show` prints' },
  { name: 'command', kind: 'text', value: 'NAME', choices: ['chat', 'messages', 'responses', 'map'], summary: 'Only this command' },
  { name: 'since', kind: 'text', value: 'DATE', summary: 'From this date on, such as 2026-08-06 or 2026-08-06T14:00' },
  { name: 'until', kind: 'text', value: 'DATE', summary: 'Up to this date. A date alone includes its day' },
];
const limit: OptionSpec = { name: 'limit', kind: 'integer', value: 'N', summary: 'Show at most N, the newest first', default: '20' };

export const spec: Command = {
  name: 'logs',
  summary: 'Find earlier questions and answers, and their cost',
  details:
    'chat, messages and responses log each exchange on this machine, readable only by you. A question that the service refused is not logged.\n' +
    'A run of map is one line: its template, rows, tokens, cost and the file of its answers. The answers are in that file, or went to stdout.\n' +
    'Of attached files, the log has name, size and hash. --no-log turns it off for a call.',
  examples: [
    ['logs', 'The last 20'],
    ['logs search lighthouse keeper', 'Those with both words'],
    ['logs show', 'The last one'],
    ['logs cost --since 2026-08-01', 'Cost by day and model'],
  ],
  commands: [
    {
      name: 'list',
      aliases: ['ls'],
      summary: 'List exchanges, the newest first',
      options: [...filters, limit],
      examples: [['logs list --model glm-5.3 --limit 50', 'The last 50 of a model']],
      load: async () => (await import('./logs.ts')).list,
    },
    {
      name: 'search',
      summary: 'List the exchanges that contain all words',
      details: 'Searches prompts, system prompts and answers, in any case and inside words. Quote a phrase.',
      arguments: [{ name: 'TEXT', summary: 'A word or phrase', required: true, variadic: true }],
      options: [...filters, limit],
      examples: [
        ['logs search lighthouse keeper', 'Both words'],
        ['logs search "keeper of the light" --since 2026-08-01', 'A phrase'],
      ],
      load: async () => (await import('./logs.ts')).search,
    },
    {
      name: 'show',
      summary: 'Print an exchange',
      arguments: [{ name: 'ID', summary: 'Id of the exchange', default: 'the last one' }],
      examples: [['logs show', 'The last exchange']],
      load: async () => (await import('./logs.ts')).show,
    },
    {
      name: 'continue',
      summary: 'Make an exchange the last conversation, for `chat -c`',
      details: 'The conversation has the exchanges of the log up to this one, without files and calls of tools.',
      arguments: [{ name: 'ID', summary: 'Id of the exchange', default: 'the last one' }],
      examples: [['logs continue mikx7f2pabc123', 'Go on where it ended, with `chat -c`']],
      load: async () => (await import('./continue.ts')).run,
    },
    {
      name: 'cost',
      summary: 'Sum up tokens and cost by day and model',
      details: 'Costs are estimates at list prices. Exchanges without a known price are counted apart.',
      options: [...filters, { name: 'by', kind: 'text', value: 'UNIT', choices: ['day', 'month', 'model'], summary: 'Sum up only by this' }],
      examples: [['logs cost --by model --since 2026-08-01', 'Each model since a day']],
      load: async () => (await import('./cost.ts')).run,
    },
    {
      name: 'export',
      summary: 'Print exchanges as JSON lines, the oldest first',
      options: filters,
      examples: [['logs export --until 2026-08-31 > august.jsonl', 'A backup']],
      load: async () => (await import('./logs.ts')).exportAll,
    },
    {
      name: 'delete',
      aliases: ['rm', 'remove'],
      summary: 'Remove exchanges for good',
      arguments: [{ name: 'ID', summary: 'Ids of exchanges', variadic: true }],
      options: [
        { name: 'conversation', kind: 'text', value: 'NAME|ID', summary: 'All exchanges of a conversation' },
        { name: 'before', kind: 'text', value: 'DATE', summary: 'All exchanges before a date' },
        { name: 'all', summary: 'The whole log' },
      ],
      examples: [
        ['logs delete --before 2026-01-01', 'Forget what is old'],
        ['logs delete --conversation trip', 'Forget a conversation'],
      ],
      load: async () => (await import('./remove.ts')).run,
    },
  ],
};
