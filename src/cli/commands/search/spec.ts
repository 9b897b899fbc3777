import type { Command } from '../../cli.ts';

export const spec: Command = {
  name: 'search',
  summary: 'Search the web',
  details: 'Every search is billed. A query has at most 70 characters.',
  arguments: [{ name: 'QUERY', field: 'search_query', summary: 'Words to search for', required: true, variadic: true }],
  options: [
    {
      name: 'engine',
      kind: 'text',
      value: 'NAME',
      field: 'search_engine',
      summary: 'Engine, for instance search_pro or search_pro_sogou',
      default: 'search_std',
    },
    { name: 'count', kind: 'integer', value: 'N', field: 'count', summary: 'Number of results, 1 to 50', default: '10' },
    { name: 'recency', kind: 'text', value: 'AGE', choices: ['day', 'week', 'month', 'year'], summary: 'Only results of the last' },
    { name: 'domain', kind: 'text', value: 'NAME', field: 'search_domain_filter', summary: 'Only results of this domain' },
  ],
  examples: [
    ['search "node 24 release notes" --count 5', 'Five results'],
    ['search glm --recency week --json', 'Results of the last week, as JSON'],
  ],
  load: async () => (await import('./run.ts')).run,
};
