import type { Command } from '../../cli.ts';

export const spec: Command = {
  name: 'tokens',
  summary: 'Count the tokens of a text',
  examples: [['tokens count "How many tokens?"', 'Count the tokens of a text']],
  commands: [
    {
      name: 'count',
      summary: 'Count the tokens of a text as a user message',
      arguments: [{ name: 'TEXT', summary: 'Text to count; @FILE reads a file, - or none reads stdin', variadic: true }],
      options: [
        {
          name: 'model',
          short: 'm',
          kind: 'text',
          value: 'ID',
          field: 'model',
          summary: 'Model whose tokens to count',
          default: 'glm-4.6, the newest documented one',
          complete: 'model',
        },
      ],
      examples: [
        ['tokens count "How many tokens?"', 'Count the tokens of a text'],
        ['cat prompt.md | modelsvc tokens count', 'Count the tokens of a pipe'],
      ],
      load: async () => (await import('./count.ts')).run,
    },
  ],
};
