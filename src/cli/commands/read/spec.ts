import { toolsWebReader } from '../../../generated/options.ts';
import type { Command } from '../../cli.ts';
import { withFields } from '../../table/with-fields.ts';

export const spec: Command = withFields(toolsWebReader, {
  name: 'read',
  summary: 'Read a web page as text',
  details: 'The service fetches the page. Every call is billed.',
  arguments: [{ name: 'URL', field: 'url', summary: 'Address of a public page', required: true }],
  options: [
    { name: 'format', field: 'return_format', value: 'FORMAT' },
    { name: 'no-images', field: 'retain_images', summary: 'Leave out images' },
  ],
  examples: [
    ['read https://example.com', 'A page as Markdown'],
    ['read https://example.com --format text --no-images > page.txt', 'Only the words'],
  ],
  load: async () => (await import('./read.ts')).run,
});
