import type { Command } from '../../cli.ts';

export const spec: Command = {
  name: 'read',
  summary: 'Read a web page as text',
  details: 'The service fetches the page. Every call is billed.',
  arguments: [{ name: 'URL', summary: 'Address of a public page', required: true }],
  options: [
    {
      name: 'format',
      kind: 'text',
      value: 'FORMAT',
      field: 'return_format',
      choices: ['markdown', 'text'],
      summary: 'Form of the text',
      default: 'markdown',
    },
    { name: 'no-images', summary: 'Leave out images' },
    { name: 'no-cache', field: 'no_cache', summary: 'Fetch the page again even if the service has a copy' },
  ],
  examples: [
    ['read https://example.com', 'A page as Markdown'],
    ['read https://example.com --format text --no-images > page.txt', 'Only the words'],
  ],
  load: async () => (await import('./run.ts')).run,
};
