import type { Command } from '../../cli.ts';

export const spec: Command = {
  name: 'spec',
  summary: 'Print the OpenAPI document of the service',
  examples: [
    ['spec > openapi.yaml', 'Save the document'],
    ['spec --json | jq .info', 'The document as JSON'],
  ],
  load: async () => (await import('./run.ts')).run,
};
