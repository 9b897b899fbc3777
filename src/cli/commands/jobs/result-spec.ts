import type { Command } from '../../cli.ts';

export const spec: Command = {
  name: 'result',
  summary: 'Show the state or the result of a chat, image or video job',
  details: 'Polls once. The exit code is 1 if the job failed.',
  arguments: [{ name: 'ID', summary: 'Id of the job', required: true }],
  examples: [['result 20260711073209851e7f8c12c44579', 'State of a job, or its result']],
  load: async () => (await import('./result.ts')).run,
};
