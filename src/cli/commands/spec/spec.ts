import type { CommandSpec } from '../../table/spec.ts';

export const spec: CommandSpec = {
  name: 'spec',
  summary: 'Print the OpenAPI document of the service',
  examples: [
    ['spec > openapi.yaml', 'Save the document'],
    ['spec --json | jq .info', 'The document as JSON'],
  ],
  load: () => import('./run.ts'),
};
