// Options that several commands have.
import type { OptionSpec } from '../table/spec.ts';

export const outOptions: readonly OptionSpec[] = [
  {
    name: 'out',
    short: 'O',
    kind: 'text',
    value: 'FILE',
    summary: 'Save the result to a file, a directory, or - for stdout',
    complete: 'file',
  },
  { name: 'force', summary: 'Overwrite the file of -O' },
];

export const waitOptions: readonly OptionSpec[] = [
  { name: 'interval', kind: 'duration', value: 'TIME', summary: 'Time between two polls', default: '1s, growing to 10s' },
  { name: 'max-wait', kind: 'duration', value: 'TIME', summary: 'Stop waiting after this time; the job continues', default: 'no limit' },
];
