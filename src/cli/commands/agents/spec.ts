import type { Command } from '../../cli.ts';
import type { OptionSpec } from '../../table/spec.ts';
import { waitOptions } from '../shared-options.ts';

export const variable: OptionSpec = {
  name: 'var',
  kind: 'list',
  value: 'NAME=VALUE',
  summary: 'Variable of the agent; numbers, true, false and JSON are converted; may be repeated',
};

export const spec: Command = {
  name: 'agents',
  summary: 'Run ready-made agents: translation, slides, receipts',
  examples: [
    ['agents invoke general_translation "Good morning" --var target_lang=zh-CN', 'Translate a text'],
    ['agents invoke slides_glm_agent "Tidal power" --stream', 'Make slides'],
  ],
  commands: [
    {
      name: 'invoke',
      summary: 'Run an agent',
      details: 'A run in the background prints its id; --wait waits for it. Every run is billed.',
      arguments: [
        { name: 'AGENT', summary: 'Id of the agent', required: true },
        { name: 'TEXT', summary: 'Text, or @FILE; - reads stdin', variadic: true },
      ],
      options: [
        variable,
        { name: 'image', short: 'i', kind: 'list', value: 'FILE|URL', summary: 'Image to send; may be repeated', complete: 'file' },
        { name: 'file-id', kind: 'list', value: 'ID', summary: 'Stored file to send; may be repeated' },
        { name: 'conversation', kind: 'text', value: 'ID', summary: 'Conversation to continue' },
        { name: 'stream', summary: 'Print the answer while it is generated; slides_glm_agent needs it' },
        { name: 'wait', summary: 'Wait for a run in the background' },
        ...waitOptions,
      ],
      examples: [
        ['agents invoke general_translation @letter.txt --var target_lang=fr', 'Translate a file'],
        ['agents invoke receipt_recognition_agent --image receipt.jpg', 'Read a receipt'],
      ],
      load: async () => (await import('./invoke.ts')).run,
    },
    {
      name: 'history',
      summary: 'List the files and images that an agent made in a conversation',
      arguments: [
        { name: 'AGENT', summary: 'Id of the agent', required: true },
        { name: 'CONVERSATION', summary: 'Id of the conversation', required: true },
      ],
      options: [variable],
      examples: [['agents history slides_glm_agent conv_5b0e7c21d9f34a86 --var include_pdf=true', 'Links of the slides and their PDF']],
      load: async () => (await import('./agents.ts')).history,
    },
  ],
};
