import type { Command } from '../../cli.ts';
import { openOption } from '../../transfer/open.ts';
import { outOptions, waitOptions } from '../shared-options.ts';

export const spec: Command = {
  name: 'images',
  summary: 'Create images from text',
  examples: [
    ['images create "A lighthouse in the rain" -O lighthouse.png', 'Create an image and save it'],
    ['jobs wait ID -O lighthouse.png', 'Wait for a job and save its image'],
  ],
  commands: [
    {
      name: 'create',
      summary: 'Create an image',
      details: 'Prints a link that is valid for 30 days, or saves the image with -O. Every call is billed.',
      arguments: [{ name: 'PROMPT', summary: 'Description of the image; - or no prompt reads stdin', variadic: true }],
      options: [
        { name: 'model', short: 'm', kind: 'text', value: 'ID', field: 'model', summary: 'Image model', default: 'glm-image', complete: 'model' },
        { name: 'size', kind: 'text', value: 'WxH', field: 'size', summary: 'Width and height in pixels, for instance 1280x1280' },
        { name: 'quality', kind: 'text', value: 'LEVEL', field: 'quality', summary: 'hd or standard; glm-image has only hd' },
        ...outOptions,
        openOption,
        { name: 'async', summary: 'Start a job and print its id' },
        { name: 'wait', summary: 'Start a job and wait for it' },
        ...waitOptions,
      ],
      examples: [
        ['images create "A lighthouse in the rain"', 'Print the link of a new image'],
        ['images create "A lighthouse" --size 1728x960 -O pictures/', 'Save it under the name that the service gives'],
        ['images create "A lighthouse" --async', 'Start a job; fetch it with jobs wait'],
      ],
      load: async () => (await import('./create.ts')).run,
    },
  ],
};
