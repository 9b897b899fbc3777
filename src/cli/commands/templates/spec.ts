import type { Command } from '../../cli.ts';
import type { ArgumentSpec } from '../../table/spec.ts';

const nameArgument: ArgumentSpec = { name: 'NAME', summary: 'Name of the template', required: true, complete: 'template' };

export const spec: Command = {
  name: 'templates',
  summary: 'Show and remove templates of questions',
  details:
    '--save-template of chat, messages and responses saves a command line, and -T uses it. Templates are files in the folder templates, next to the accounts.\n' +
    '{name} in the prompt or the system prompt is a variable; -p gives its value, or its default while saving. {{name}} is the text {name}.',
  examples: [
    ["chat 'Translate to {lang}:' -p lang=German --save-template translate", 'Save a template with a default'],
    ['chat -T translate -p lang=French < letter.txt', 'Use it'],
    ['templates list', 'All templates'],
  ],
  commands: [
    {
      name: 'list',
      aliases: ['ls'],
      summary: 'List templates with their variables and prompts',
      examples: [['templates list', 'All templates']],
      load: async () => (await import('./templates.ts')).list,
    },
    {
      name: 'show',
      summary: 'Print a template',
      arguments: [nameArgument],
      examples: [['templates show translate', 'Its prompt, options and defaults']],
      load: async () => (await import('./templates.ts')).show,
    },
    {
      name: 'delete',
      aliases: ['rm', 'remove'],
      summary: 'Remove a template',
      arguments: [nameArgument],
      examples: [['templates delete translate', 'Remove one, after a question']],
      load: async () => (await import('./templates.ts')).remove,
    },
  ],
};
