import { fileParserCreate, fileParserSync } from '../../../generated/options.ts';
import type { Command } from '../../cli.ts';
import type { OptionSpec } from '../../table/spec.ts';
import { withFields } from '../../table/with-fields.ts';
import { outOptions, waitOptions } from '../shared-options.ts';

const type = { name: 'type', field: 'file_type', value: 'NAME', summary: 'Kind of the file', default: 'by the file name' };
export const format: OptionSpec = {
  name: 'format',
  kind: 'text',
  value: 'NAME',
  choices: ['text', 'link'],
  summary: 'The text, or a link to all results',
  default: 'text',
};

export const spec: Command = {
  name: 'parse',
  summary: 'Extract the text of documents',
  details: 'Documented for the china host only.',
  examples: [
    ['parse create handbook.docx --wait', 'Extract the text of a document'],
    ['parse sync page.html', 'Extract it in one call'],
  ],
  commands: [
    withFields(fileParserCreate, {
      name: 'create',
      summary: 'Start a job for a document',
      details: 'Prints the id of the job, or waits for it with --wait. -O implies --wait. Every call is billed.',
      arguments: [{ name: 'FILE', summary: 'Document; - reads stdin', required: true, complete: 'file' }],
      options: [
        { name: 'tier', field: 'tool_type', value: 'NAME', summary: 'Quality of the parser', default: 'lite' },
        type,
        format,
        { name: 'wait', summary: 'Wait for the job' },
        ...outOptions,
        ...waitOptions,
      ],
      examples: [
        ['parse create handbook.docx --wait -O handbook.md', 'Save the text'],
        ['parse create paper.pdf --tier expert', 'Start a job; fetch it with jobs wait'],
      ],
      load: async () => (await import('./parse.ts')).create,
    }),
    withFields(fileParserSync, {
      name: 'sync',
      summary: 'Extract the text of a document in one call',
      details: 'Every call is billed.',
      arguments: [{ name: 'FILE', summary: 'Document; - reads stdin', required: true, complete: 'file' }],
      options: [{ name: 'tier', field: 'tool_type', value: 'NAME', default: 'prime-sync' }, type, ...outOptions],
      examples: [['parse sync page.html', 'Print the text']],
      load: async () => (await import('./parse.ts')).sync,
    }),
  ],
};
