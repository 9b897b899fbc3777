import { moderationsCreate } from '../../../generated/options.ts';
import type { Command } from '../../cli.ts';
import { modelOption, withFields } from '../../table/with-fields.ts';

export const spec: Command = withFields(moderationsCreate, {
  name: 'moderate',
  summary: 'Check a text for risky content',
  details:
    'The verdict is the result, so risky content is not an error: the exit code is 0. Compare the printed level, for instance PASS, REVIEW or REJECT.',
  arguments: [{ name: 'TEXT', field: 'input', summary: 'Text to check; @FILE reads a file, - or no text reads stdin', variadic: true }],
  options: [modelOption('moderation')],
  examples: [
    ['moderate "Have a nice day"', 'Check a text'],
    ['moderate @comment.txt --json', 'Check a file; the verdict as JSON'],
  ],
  load: async () => (await import('./moderate.ts')).run,
});
