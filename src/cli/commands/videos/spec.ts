import { videosGenerate } from '../../../generated/options.ts';
import type { Command } from '../../cli.ts';
import { modelOption, withFields } from '../../table/with-fields.ts';
import { openOption } from '../../transfer/open.ts';
import { outOptions, waitOptions } from '../shared-options.ts';

export const spec: Command = {
  name: 'videos',
  summary: 'Create videos from text and images',
  examples: [
    ['videos create "A cat plays with wool" --wait -O cat.mp4', 'Create a video and save it'],
    ['jobs wait ID -O cat.mp4', 'Wait for a job and save its video'],
  ],
  commands: [
    withFields(videosGenerate, {
      name: 'create',
      summary: 'Start a video job',
      details: 'Prints the id of the job, or waits for it with --wait. -O implies --wait. Every call is billed.',
      arguments: [{ name: 'PROMPT', field: 'prompt', summary: 'Description of the video; - reads stdin', variadic: true }],
      options: [
        modelOption('cogvideox-3'),
        { name: 'image', short: 'i', kind: 'list', value: 'FILE|URL', summary: 'Start image; repeat it for the last frame', complete: 'file' },
        { field: 'duration', value: 'SECONDS' },
        { field: 'size', value: 'WxH' },
        { field: 'quality', value: 'LEVEL' },
        { name: 'wait', summary: 'Wait for the job' },
        ...outOptions,
        openOption,
        ...waitOptions,
      ],
      examples: [
        ['videos create "A cat plays with wool" --wait -O cat.mp4', 'Create a video and save it'],
        ['videos create "The waves roll" --image shore.jpg --duration 10', 'Animate an image; prints the id of the job'],
      ],
      load: async () => (await import('./create.ts')).run,
    }),
  ],
};
