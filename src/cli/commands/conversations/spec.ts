import type { Command } from '../../cli.ts';
import type { ArgumentSpec } from '../../table/spec.ts';

const name: ArgumentSpec = { name: 'NAME', summary: 'Name that --save has given', required: true };

export const spec: Command = {
  name: 'conversations',
  summary: 'List, show, rename and remove stored conversations',
  details: 'chat, messages and responses store the last conversation for --continue, and others under the name of --save.',
  examples: [
    ['conversations', 'Names, and the last one'],
    ['conversations show trip', 'All of a conversation'],
  ],
  commands: [
    {
      name: 'list',
      aliases: ['ls'],
      summary: 'List the conversations',
      examples: [['conversations list', 'A line for each; * marks the last one']],
      load: async () => (await import('./conversations.ts')).list,
    },
    {
      name: 'show',
      summary: 'Print a conversation',
      arguments: [{ name: 'NAME', summary: 'Name that --save has given', default: 'the last one' }],
      examples: [['conversations show trip', 'Questions and answers']],
      load: async () => (await import('./conversations.ts')).show,
    },
    {
      name: 'rename',
      summary: 'Give a conversation another name',
      arguments: [name, { name: 'NEW', summary: 'New name', required: true }],
      examples: [['conversations rename trip norway', 'A better name']],
      load: async () => (await import('./conversations.ts')).rename,
    },
    {
      name: 'delete',
      aliases: ['rm', 'remove'],
      summary: 'Remove conversations',
      details: 'Their exchanges stay in the log: `logs delete --conversation NAME` removes those, and must come first.',
      arguments: [{ name: 'NAME', summary: 'Names that --save has given', variadic: true }],
      options: [{ name: 'last', summary: 'The last conversation, if it has no name' }],
      examples: [
        ['conversations delete trip', 'Forget one'],
        ['conversations delete --last', 'Forget the last one'],
      ],
      load: async () => (await import('./conversations.ts')).remove,
    },
  ],
};
