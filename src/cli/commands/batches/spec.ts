import type { Command } from '../../cli.ts';
import { budgetOption } from '../../talk/options.ts';
import { batchOptions, outOptions, waitOptions } from '../shared-options.ts';

export const spec: Command = {
  name: 'batches',
  summary: 'Run many chat requests as one job',
  details: 'Documented for the china host only. Results arrive within 24 hours.',
  examples: [
    ['batches run requests.jsonl -O results.jsonl', 'Upload, wait and fetch the results'],
    ['batches list', 'Batches and their progress'],
  ],
  commands: [
    {
      name: 'run',
      summary: 'Run a file of requests and save the results',
      details:
        'A line of the input is {"custom_id": "1", "body": {"model": ..., "messages": [...]}}, or a line in the form of the vendor. The id is optional. A line of the results has the custom_id and a response or an error.\nAn input of more than 50,000 requests or 100 MB becomes several batches. A file is checked to its end before anything is sent. Stdin is checked line by line: batches before a wrong line have been started.\nThe state is kept in a file beside the results until they are complete. Run the same command again after an interruption: it continues the same batches. The exit code is 8 if some requests failed.\nWith --budget, each batch that ends is charged by the usage of its results. Batches in flight go on, so that their cost can exceed it. Dollars and credits need a price of the model in models.yaml. A later run has a new budget.',
      arguments: [{ name: 'FILE', summary: 'Requests as JSONL; - reads stdin', required: true, complete: 'file' }],
      options: [
        ...outOptions,
        ...batchOptions,
        budgetOption('Create no batch'),
        { name: 'no-wait', summary: 'Start the batches and print their ids; the same command without it continues' },
        { name: 'metadata', kind: 'list', value: 'NAME=VALUE', summary: 'Text that the service returns with each batch; may be repeated' },
        { name: 'keep-input', summary: 'Keep the stored input files at the end' },
        ...waitOptions,
      ],
      examples: [
        ['batches run requests.jsonl -O results.jsonl', 'Run it; run it again to resume'],
        ['batches run requests.jsonl -O results.jsonl --no-wait --metadata project=reviews', 'Only start it'],
      ],
      load: async () => (await import('./run.ts')).run,
    },
    {
      name: 'list',
      aliases: ['ls'],
      summary: 'List batches',
      options: [{ name: 'limit', kind: 'integer', value: 'N', summary: 'Largest number of batches', default: 'all' }],
      examples: [['batches list --limit 10', 'The first ten']],
      load: async () => (await import('./commands.ts')).list,
    },
    {
      name: 'results',
      summary: 'Download the results of a batch, as the service wrote them',
      details: 'Failed requests follow after the results. The exit code is 8 if some requests failed.',
      arguments: [{ name: 'ID', summary: 'Id of the batch', required: true }],
      options: [...outOptions],
      examples: [['batches results batch_1943517204867710976 -O results.jsonl', 'Save the results']],
      load: async () => (await import('./results.ts')).run,
    },
    {
      name: 'cancel',
      summary: 'Cancel a batch',
      details: 'Requests that are finished keep their results and are billed.',
      arguments: [{ name: 'ID', summary: 'Id of the batch', required: true }],
      examples: [['batches cancel batch_1943517204867710976', 'Cancel a batch']],
      load: async () => (await import('./commands.ts')).cancel,
    },
  ],
};
