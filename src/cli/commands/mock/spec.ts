import type { Command } from '../../cli.ts';

export const spec: Command = {
  name: 'mock',
  summary: 'Serve a fake of the service on this machine',
  details:
    'The fake checks requests against the spec, answers, streams, runs jobs and batches, and breaks on demand. Any client in any language can use it: send chat to URL/chat/completions, messages to URL/v1/messages and Responses to URL/responses.\nWithout --reply, the asked model calls a forced tool, or one that the question names, and follows a requested JSON schema; otherwise it repeats the question. Unknown ids are refused. Links lead to files of the fake.\nEach request is a line on stderr once it has ended: time, method, path, status, operation and reason. --log also appends it to a file, as JSON. Neither has keys or texts: in a path, `<id>` replaces each word that the spec lacks.\nFaults have the names and arguments of `faults` in modelsvc/testing. `help faults` lists them with their effects.\n--replay takes a cassette or a bundle, and finds its requests below any host and root. A request that it lacks gets status 417 with the differences from the nearest one.',
  options: [
    { name: 'port', kind: 'integer', value: 'N', summary: 'Port', default: '4010; 0 chooses a free one' },
    { name: 'host', kind: 'text', value: 'ADDRESS', summary: 'Address to serve on; 0.0.0.0 for containers, phones and WSL', default: '127.0.0.1' },
    { name: 'reply', kind: 'list', value: 'TEXT', summary: 'Text of the next chat answer or message; may be repeated' },
    { name: 'fault', kind: 'list', value: 'FAULT', summary: 'Break every answer, or answers of an operation: OPERATION=FAULT; may be repeated' },
    { name: 'fault-once', kind: 'list', value: 'FAULT', summary: 'Break the next answer only; may be repeated' },
    { name: 'at-once', kind: 'integer', value: 'N', summary: 'Most calls at once for each key and model; more get code 1302' },
    { name: 'key', kind: 'list', value: 'KEY', summary: 'Accept only this key; may be repeated', default: 'any key' },
    {
      name: 'models',
      kind: 'text',
      value: 'WHICH',
      choices: ['any', 'known'],
      summary: 'Models that exist: any, or models of the catalogue',
      default: 'any',
    },
    { name: 'replay', kind: 'text', value: 'FILE', summary: 'Answer from a recording of recordExchanges, and not as the fake', complete: 'file' },
    { name: 'log', kind: 'text', value: 'FILE', summary: 'Append a line of JSON for each request', complete: 'file' },
    { name: 'no-validate', summary: 'Accept requests that violate the spec, and any id' },
  ],
  examples: [
    ['mock', 'Serve on port 4010'],
    ['mock --reply "Hello from the mock" --port 0', 'A text of your own on a free port'],
    ['mock --fault chat.create=truncatedStream', 'Cut off every chat answer'],
    ['mock --log requests.jsonl', 'Keep a log'],
    ['mock --replay recordings/weather.json', 'Look at a recording with any client'],
    [`mock --fault-once "error(503, '1305')" --at-once 4`, 'One failure, and a limit of four calls at once'],
  ],
  load: async () => (await import('./mock.ts')).run,
};
