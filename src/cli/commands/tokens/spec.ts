import { toolsTokenize } from '../../../generated/options.ts';
import type { Command } from '../../cli.ts';
import { modelOption, withFields } from '../../table/with-fields.ts';

export const spec: Command = {
  name: 'tokens',
  summary: 'Count the tokens of a text',
  examples: [['tokens count "How many tokens?"', 'Count the tokens of a text']],
  commands: [
    withFields(toolsTokenize, {
      name: 'count',
      summary: 'Count the tokens of a text as a user message',
      arguments: [{ name: 'TEXT', summary: 'Text to count; @FILE reads a file, - or no text reads stdin', variadic: true }],
      options: [modelOption('glm-4.6, the newest documented one')],
      examples: [
        ['tokens count "How many tokens?"', 'Count the tokens of a text'],
        ['cat prompt.md | modelsvc tokens count', 'Count the tokens of a pipe'],
      ],
      load: async () => (await import('./count.ts')).run,
    }),
  ],
};
