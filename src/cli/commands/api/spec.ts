import type { Command } from '../../cli.ts';

export const spec: Command = {
  name: 'api',
  summary: 'Call any operation by method and path',
  details:
    'The path is as in the API reference, for instance /chat/completions or /v1/messages; it selects the host. Key, retries and limits are as in other commands. The request is not checked.\nA failure prints the body of the reply on stdout too. The exit code is as in other commands.',
  arguments: [
    { name: 'METHOD', summary: 'GET, POST, PUT, PATCH or DELETE', required: true },
    { name: 'PATH', summary: 'Path of the operation, with its ids and query', required: true },
  ],
  options: [
    {
      name: 'field',
      short: 'F',
      kind: 'list',
      value: 'KEY=VALUE',
      summary: 'Field of the JSON body, or of the query of a GET. A value that is JSON is sent as JSON, any other as text; @FILE reads a text',
    },
    { name: 'data', short: 'd', kind: 'text', value: 'JSON', summary: 'JSON body; @FILE reads a file, @- stdin', complete: 'file' },
    { name: 'header', short: 'H', kind: 'list', value: 'NAME:VALUE', summary: 'Header of the request' },
    { name: 'stream', summary: 'Ask for a stream, and print each event as a line of JSON as it arrives' },
  ],
  examples: [
    ['api GET /models', 'The list of models'],
    [`api POST /rerank -F model=rerank -F query=hi -F 'documents=["a","b"]'`, 'Fields as options'],
    ['api POST /chat/completions -d @body.json --stream', 'A body from a file, events as they arrive'],
  ],
  load: async () => (await import('./api.ts')).run,
};
