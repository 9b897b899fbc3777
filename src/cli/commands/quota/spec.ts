import { teamOptions } from '../../accounts/team.ts';
import type { Command } from '../../cli.ts';
import type { OptionSpec } from '../../table/spec.ts';

const options: readonly OptionSpec[] = [
  { name: 'check', kind: 'number', value: 'PERCENT', summary: 'Exit with 10 if a window is used to this percentage or beyond' },
  { name: 'watch', kind: 'text', value: 'TIME', optional: true, summary: 'Show it again and again, until Ctrl-C or --check', default: 'every 30s' },
  { name: 'all-accounts', summary: 'A table of all stored accounts. Exit code 8: some accounts failed' },
  { name: 'format', kind: 'text', value: 'FORM', choices: ['bars', 'statusline'], summary: 'Form of the text, or one short line' },
  ...teamOptions,
];

const details =
  'Calls are free. An account without a plan has no windows. The pace projects the use so far to the end of the window. ' +
  'A statusline is for a prompt: it ends within two seconds, if the service does not answer, with the value of the last hour and its age, or without any.';
const load: Command['load'] = async () => (await import('./show.ts')).run;

export const spec: Command = {
  name: 'quota',
  summary: 'Show how much of the plan is used',
  details,
  options,
  examples: [
    ['quota', 'A bar for each window, with its reset and pace'],
    ['quota --check 80 || echo "slow down"', 'Exit code 10 from 80 percent on'],
    ['quota --format statusline', 'One line, for tmux or a prompt'],
    ['quota --all-accounts', 'Every stored account'],
    ['quota --watch=1m --json', 'A line of JSON each minute'],
  ],
  load,
  commands: [{ name: 'show', summary: 'Same as quota', details, options, examples: [['quota show', 'A bar for each window']], load }],
};
