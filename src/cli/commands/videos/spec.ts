import type { Command } from '../../cli.ts';
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
    {
      name: 'create',
      summary: 'Start a video job',
      details: 'Prints the id of the job, or waits for it with --wait. -O implies --wait. Every call is billed.',
      arguments: [{ name: 'PROMPT', summary: 'Description of the video; - reads stdin', variadic: true }],
      options: [
        { name: 'model', short: 'm', kind: 'text', value: 'ID', field: 'model', summary: 'Video model', default: 'cogvideox-3', complete: 'model' },
        { name: 'image', short: 'i', kind: 'list', value: 'FILE|URL', summary: 'Start image; repeat it for the last frame', complete: 'file' },
        { name: 'duration', kind: 'integer', value: 'SECONDS', field: 'duration', summary: 'Length of the video in seconds' },
        { name: 'fps', kind: 'integer', value: 'N', field: 'fps', summary: 'Frames per second: 30 or 60' },
        { name: 'size', kind: 'text', value: 'WxH', field: 'size', summary: 'Width and height in pixels, for instance 1920x1080' },
        { name: 'quality', kind: 'text', value: 'LEVEL', field: 'quality', summary: 'quality or speed' },
        { name: 'with-audio', field: 'with_audio', summary: 'Add generated sound' },
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
    },
  ],
};
