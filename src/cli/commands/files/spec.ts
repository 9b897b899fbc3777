import type { Command } from '../../cli.ts';
import { outOptions } from '../shared-options.ts';

const purposes = 'batch, code-interpreter, agent or voice-clone-input';

export const spec: Command = {
  name: 'files',
  summary: 'Upload, list, download and delete stored files',
  details: 'All commands except upload are documented for the china host only.',
  examples: [
    ['files upload requests.jsonl', 'Store a file for a batch'],
    ['files list', 'Stored batch files'],
  ],
  commands: [
    {
      name: 'list',
      aliases: ['ls'],
      summary: 'List the files of a purpose',
      options: [
        { name: 'purpose', kind: 'text', value: 'NAME', summary: purposes, default: 'batch' },
        { name: 'limit', kind: 'integer', value: 'N', summary: 'Largest number of files', default: 'all' },
      ],
      examples: [['files list --purpose agent --json', 'Files for agents, as JSON']],
      load: async () => (await import('./files.ts')).list,
    },
    {
      name: 'upload',
      summary: 'Store files',
      arguments: [{ name: 'FILE', summary: 'File to store; - reads stdin', required: true, variadic: true, complete: 'file' }],
      options: [
        { name: 'purpose', kind: 'text', value: 'NAME', summary: purposes, default: 'batch' },
        { name: 'name', kind: 'text', value: 'NAME', summary: 'File name to send, for one file' },
      ],
      examples: [
        ['files upload requests.jsonl', 'Prints the id of the file'],
        ['files upload a.pdf b.pdf --purpose agent', 'Store two documents'],
      ],
      load: async () => (await import('./files.ts')).upload,
    },
    {
      name: 'download',
      summary: 'Download the input or the results of a batch',
      details: 'Files of other purposes cannot be downloaded.',
      arguments: [{ name: 'ID', summary: 'Id of the file', required: true }],
      options: [...outOptions],
      examples: [['files download file-batch-output-1783737012 -O results.jsonl', 'Save the results of a batch']],
      load: async () => (await import('./files.ts')).download,
    },
    {
      name: 'delete',
      aliases: ['rm'],
      summary: 'Delete files',
      details: 'Asks first, unless --yes is set.',
      arguments: [{ name: 'ID', summary: 'Id of a file', required: true, variadic: true }],
      examples: [['files delete ID --yes', 'Delete a file without a question']],
      load: async () => (await import('./files.ts')).remove,
    },
  ],
};
