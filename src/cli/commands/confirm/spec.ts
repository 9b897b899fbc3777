import type { Command } from '../../cli.ts';

export const spec: Command = {
  name: 'confirm',
  summary: 'Check the claims of this package against the service',
  details:
    'Each claim of modelsvc/evidence.json that a small or free request can judge is compared with a reply of the service. The requests, their host and their largest cost are shown first. ' +
    'The bundle has the requests and replies without keys, ids and texts. An interrupted run continues with --resume.\n' +
    'The exit code is 0 if each claim was judged, also if some differ, and 8 if the service did not answer some probes.',
  options: [
    { name: 'claim', kind: 'list', value: 'ID', summary: 'Only this claim, for instance code:1211; may be repeated' },
    { name: 'kind', kind: 'list', value: 'KIND', summary: 'Only claims of this kind, for instance refusal; may be repeated' },
    { name: 'all', summary: 'Send every probe', default: 'at most 60 requests and 0.01 USD' },
    { name: 'evidence', kind: 'text', value: 'FILE', summary: 'The claims of another version, its evidence.json', complete: 'file' },
    { name: 'bundle', kind: 'text', value: 'FILE', summary: 'Where to write the bundle', default: 'modelsvc-confirm-HOST.json', complete: 'file' },
    { name: 'force', summary: 'Overwrite the bundle' },
    {
      name: 'resume',
      kind: 'text',
      value: 'FILE',
      summary: 'Continue the run of a bundle, without the probes that have an answer',
      complete: 'file',
    },
  ],
  examples: [
    ['confirm --dry-run', 'Show the requests and their largest cost'],
    ['confirm --kind refusal --kind code', 'Check what the service refuses'],
    ['confirm --resume modelsvc-confirm-api.z.ai.json', 'Continue an interrupted run'],
  ],
  load: async () => (await import('./run.ts')).run,
};
