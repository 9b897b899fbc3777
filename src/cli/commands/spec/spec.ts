import type { Command } from '../../cli.ts';

export const spec: Command = {
  name: 'spec',
  summary: 'Print the OpenAPI document of the service',
  details:
    'With --root, prints the operations below one root, with one server and the components that they use. Most generators send every operation to the first root. ' +
    '--region china chooses the server of that host.',
  options: [
    {
      name: 'root',
      kind: 'text',
      value: 'NAME',
      choices: ['chat', 'coding', 'china', 'messages', 'responses', 'agents', 'monitor', 'biz'],
      summary: 'Only what is below this root',
    },
  ],
  examples: [
    ['spec > openapi.yaml', 'Save the document'],
    ['spec --json | jq .info', 'The document as JSON'],
    ['spec --root messages > messages.yaml', 'The message surface, for a generator of clients'],
  ],
  load: async () => (await import('./print-document.ts')).run,
};
