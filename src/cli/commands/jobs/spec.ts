import type { Command } from '../../cli.ts';
import type { ArgumentSpec } from '../../table/spec.ts';
import { variable } from '../agents/spec.ts';
import { format } from '../parse/spec.ts';
import { outOptions, waitOptions } from '../shared-options.ts';

const jobArguments: readonly ArgumentSpec[] = [
  { name: 'ID', summary: 'Id of the job or batch, or of the agent', required: true },
  { name: 'RUN', summary: 'Id of the run of an agent' },
];

export const spec: Command = {
  name: 'jobs',
  summary: 'Wait for any job, or show its result',
  details:
    'Chat, image and video jobs, parsed documents, batches and runs of agents. The id is asked for as a job first, then as a document and as a batch. The exit code is 4 ' +
    'if the service has none of them.',
  examples: [
    ['jobs wait 20260711073209851e7f8c12c44579', 'Wait, then print the answer or the links'],
    ['jobs wait batch_1943517204867710976', 'Wait for a batch'],
  ],
  commands: [
    {
      name: 'wait',
      summary: 'Wait for a job of any kind, then print or save its result',
      details: 'Ctrl-C leaves the job running and prints how to resume.',
      arguments: jobArguments,
      options: [format, variable, ...outOptions, ...waitOptions],
      examples: [
        ['jobs wait 20260711073209851e7f8c12c44579 -O cat.mp4', 'Wait, then download the file'],
        ['jobs wait doc_translation_agent 1783737102574893042', 'Wait for a run of an agent'],
      ],
      load: async () => (await import('./any-kind.ts')).wait,
    },
    {
      name: 'result',
      summary: 'Show the state or the result of a job of any kind',
      arguments: jobArguments,
      options: [format, variable, ...outOptions],
      examples: [['jobs result 20260711073209851e7f8c12c44579', 'State of a job, or its result']],
      load: async () => (await import('./any-kind.ts')).result,
    },
  ],
};
