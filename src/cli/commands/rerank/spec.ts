import type { Command } from '../../cli.ts';

export const spec: Command = {
  name: 'rerank',
  summary: 'Rank documents by relevance to a query',
  details: 'Documents are the arguments after the query, or the lines of stdin. The result has the score, the index in the input, and the document.',
  arguments: [
    { name: 'QUERY', summary: 'Query to compare the documents with', required: true },
    { name: 'DOC', summary: 'Document', default: 'each line of stdin', variadic: true },
  ],
  options: [
    { name: 'top-n', kind: 'integer', value: 'N', field: 'top_n', summary: 'Only the best N documents', default: 'all' },
    { name: 'model', short: 'm', kind: 'text', value: 'ID', field: 'model', summary: 'Model', default: 'rerank', complete: 'model' },
  ],
  examples: [
    ['rerank "wet weather" "It rains." "The sun shines."', 'Rank two documents'],
    ['cat notes.txt | modelsvc rerank "invoices" --top-n 3', 'The three best lines of a file'],
  ],
  load: async () => (await import('./run.ts')).run,
};
