import { rerankCreate } from '../../../generated/options.ts';
import type { Command } from '../../cli.ts';
import { modelOption, withFields } from '../../table/with-fields.ts';

export const spec: Command = withFields(rerankCreate, {
  name: 'rerank',
  summary: 'Rank documents by relevance to a query',
  details: 'Documents are the arguments after the query, or the lines of stdin. The result has the score, the index in the input, and the document.',
  arguments: [
    { name: 'QUERY', field: 'query', summary: 'Query to compare the documents with', required: true },
    { name: 'DOC', field: 'documents', summary: 'Document', default: 'each line of stdin', variadic: true },
  ],
  options: [{ field: 'top_n', default: 'all' }, modelOption('rerank')],
  examples: [
    ['rerank "wet weather" "It rains." "The sun shines."', 'Rank two documents'],
    ['cat notes.txt | modelsvc rerank "invoices" --top-n 3', 'The three best lines of a file'],
  ],
  load: async () => (await import('./rerank.ts')).run,
});
