import { layoutHandwritingOCR, layoutParse } from '../../../generated/options.ts';
import type { Command } from '../../cli.ts';
import { modelOption, withFields } from '../../table/with-fields.ts';
import { outOptions } from '../shared-options.ts';

export const spec: Command = {
  name: 'ocr',
  summary: 'Read images, PDF files and handwriting',
  examples: [
    ['ocr layout invoice.png', 'Convert an image to Markdown'],
    ['ocr handwriting note.jpg', 'Read handwriting'],
  ],
  commands: [
    withFields(layoutParse, {
      name: 'layout',
      summary: 'Convert an image or PDF to Markdown',
      details: 'At most 10 MB for an image, and 50 MB and 100 pages for a PDF. Every call is billed.',
      arguments: [{ name: 'FILE|URL', field: 'file', summary: 'PDF, JPG or PNG, or a link to one', required: true, complete: 'file' }],
      options: [
        { name: 'pages', kind: 'text', value: 'A-B', summary: 'Pages of a PDF, for instance 2-5 or 3' },
        ...outOptions,
        modelOption('glm-ocr'),
      ],
      examples: [
        ['ocr layout invoice.png', 'Print the Markdown'],
        ['ocr layout report.pdf --pages 1-5 -O report.md', 'Save five pages'],
        ['ocr layout report.pdf --json', 'Blocks with their positions'],
      ],
      load: async () => (await import('./ocr.ts')).layout,
    }),
    withFields(layoutHandwritingOCR, {
      name: 'handwriting',
      summary: 'Read handwriting in an image, line by line',
      details: 'Documented for the china host only. Every call is billed.',
      arguments: [{ name: 'FILE', summary: 'Image; - reads stdin', required: true, complete: 'file' }],
      options: [{ name: 'language', field: 'language_type', value: 'CODE', default: 'set by the service' }, ...outOptions],
      examples: [['ocr handwriting note.jpg --language ENG', 'Print the lines']],
      load: async () => (await import('./ocr.ts')).handwriting,
    }),
  ],
};
