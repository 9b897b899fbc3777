import type { Command } from '../../cli.ts';

export const spec: Command = {
  name: 'models',
  summary: 'List the models and their limits',
  examples: [
    ['models', 'Models of the account'],
    ['models show glm-5.3', 'Limits and prices of a model'],
  ],
  commands: [
    {
      name: 'list',
      aliases: ['ls'],
      summary: 'List the models that the key may use',
      details:
        'The file models.yaml in the folder of accounts and settings adds models, or corrects facts about them: a list `models` of rows such as `{ id: glm-next, context_tokens: 262144, price: { input: 1, output: 3 } }`.',
      options: [
        {
          name: 'capability',
          kind: 'text',
          value: 'NAME',
          choices: ['text', 'vision', 'thinking', 'tools'],
          summary: 'Only models with this capability',
        },
      ],
      examples: [
        ['models list', 'All models'],
        ['models list --capability vision --json', 'Models that see images, as JSON'],
      ],
      load: async () => (await import('./models.ts')).list,
    },
    {
      name: 'show',
      aliases: ['get'],
      summary: 'Show one model',
      arguments: [{ name: 'ID', summary: 'Id of the model', required: true, complete: 'model' }],
      examples: [['models show glm-5.3', 'Context, output and price of a model']],
      load: async () => (await import('./models.ts')).get,
    },
  ],
};
