import type { Command } from '../../cli.ts';
import { outOptions, waitOptions } from '../shared-options.ts';

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
        'A line of the input is {"custom_id": "1", "body": {"model": ..., "messages": [...]}}, or a line in the form of the vendor. The id is optional. A line of the results has the custom_id and a response or an error. Every line is checked before anything is sent.\n' +
        'A run is one batch. Its id is printed at once, and kept next to the file of -O until the results are there. After an interruption of any kind, run the same command again: it goes on with the batch. --resume ID does so without that file. The exit code is 8 if some requests failed.\n' +
        'One batch takes up to 50,000 requests and 100 MB. An example cuts a longer file; run it again for the parts that are missing.',
      arguments: [{ name: 'FILE', summary: 'Requests as JSONL; - reads stdin', required: true, complete: 'file' }],
      options: [
        ...outOptions,
        { name: 'no-wait', summary: 'Start the batch and print its id' },
        { name: 'resume', kind: 'text', value: 'ID', summary: 'Wait for a batch of the same requests, and create none' },
        { name: 'metadata', kind: 'list', value: 'NAME=VALUE', summary: 'Text that the service returns with the batch; up to 15' },
        { name: 'keep-input', summary: 'Keep the stored input file at the end' },
        ...waitOptions,
      ],
      examples: [
        ['batches run requests.jsonl -O results.jsonl', 'Run it; run it again to resume'],
        ['batches run requests.jsonl -O results.jsonl --resume batch_1943517204867710976', 'Continue from another machine'],
        ['split -l 50000 requests.jsonl part- && ls part-?? | xargs -I{} modelsvc batches run {} -O {}.results', 'More than one batch takes'],
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
      load: async () => (await import('./batches.ts')).list,
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
      load: async () => (await import('./batches.ts')).cancel,
    },
  ],
};
