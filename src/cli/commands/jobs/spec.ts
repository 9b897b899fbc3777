import type { Command } from '../../cli.ts';
import { outOptions, waitOptions } from '../shared-options.ts';

export const result: Command = {
  name: 'result',
  summary: 'Show the state or the result of a chat, image or video job',
  details: 'Polls once. The exit code is 1 if the job failed.',
  arguments: [{ name: 'ID', summary: 'Id of the job', required: true }],
  examples: [['result 20260711073209851e7f8c12c44579', 'State of a job, or its result']],
  load: async () => (await import('./commands.ts')).result,
};

export const wait: Command = {
  name: 'wait',
  summary: 'Wait for a chat, image or video job',
  details: 'Ctrl-C leaves the job running and prints how to resume.',
  arguments: [{ name: 'ID', summary: 'Id of the job', required: true }],
  options: [...outOptions, ...waitOptions],
  examples: [
    ['wait 20260711073209851e7f8c12c44579', 'Wait, then print the answer or the links'],
    ['wait 20260711073209851e7f8c12c44579 -O cat.mp4', 'Wait, then download the file'],
  ],
  load: async () => (await import('./commands.ts')).waitAs('wait'),
};
