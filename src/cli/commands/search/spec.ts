import { toolsWebSearch } from '../../../generated/options.ts';
import type { Command } from '../../cli.ts';
import { withFields } from '../../table/with-fields.ts';

export const spec: Command = withFields(toolsWebSearch, {
  name: 'search',
  summary: 'Search the web',
  details: 'Every search is billed. A query has at most 70 characters.',
  arguments: [{ name: 'QUERY', field: 'search_query', summary: 'Words to search for', required: true, variadic: true }],
  options: [
    { name: 'engine', field: 'search_engine', value: 'NAME', default: 'search_std' },
    { field: 'count' },
    { name: 'recency', field: 'search_recency_filter', value: 'AGE', known: ['day', 'week', 'month', 'year'] },
    { name: 'domain', field: 'search_domain_filter', value: 'NAME' },
  ],
  examples: [
    ['search "node 24 release notes" --count 5', 'Five results'],
    ['search glm --recency week --json', 'Results of the last week, as JSON'],
  ],
  load: async () => (await import('./search.ts')).run,
});
