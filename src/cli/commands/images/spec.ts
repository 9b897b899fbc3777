import { imagesGenerate } from '../../../generated/options.ts';
import type { Command } from '../../cli.ts';
import { modelOption, withFields } from '../../table/with-fields.ts';
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
    withFields(imagesGenerate, {
      name: 'create',
      summary: 'Create an image',
      details: 'Prints a link that is valid for 30 days, or saves the image with -O. Every call is billed.',
      arguments: [{ name: 'PROMPT', field: 'prompt', summary: 'Description of the image; - or no prompt reads stdin', variadic: true }],
      options: [
        modelOption('glm-image'),
        { field: 'size', value: 'WxH' },
        { field: 'quality', value: 'LEVEL' },
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
    }),
  ],
};
