import type { Command } from '../../cli.ts';

export const spec: Command = {
  name: 'voices',
  summary: 'List, clone and delete voices',
  examples: [
    ['voices list', 'Voices of the service and of the account'],
    ['voices clone anna sample.wav --text "Welcome to the museum."', 'Clone a voice'],
  ],
  commands: [
    {
      name: 'list',
      aliases: ['ls'],
      summary: 'List voices',
      options: [
        { name: 'type', kind: 'text', value: 'KIND', choices: ['official', 'private'], summary: 'Only the voices of the service, or only clones' },
        { name: 'name', kind: 'text', value: 'TEXT', summary: 'Only voices whose name contains this text' },
      ],
      examples: [['voices list --type private', 'Clones of the account']],
      load: async () => (await import('./commands.ts')).list,
    },
    {
      name: 'clone',
      summary: 'Clone a voice from a sample',
      details:
        'The sample is a wav or mp3 file of at most 10 MB; 3 to 30 seconds are advised. Documented for the china host only. Every call is billed.',
      arguments: [
        { name: 'NAME', field: 'voice_name', summary: 'Name of the new voice', required: true },
        { name: 'FILE', summary: 'Sample', complete: 'file' },
      ],
      options: [
        { name: 'text', kind: 'text', value: 'TEXT', summary: 'Text that the trial clip speaks, or @FILE. Required' },
        { name: 'file-id', kind: 'text', value: 'ID', field: 'file_id', summary: 'Stored sample, in place of FILE' },
        { name: 'transcript', kind: 'text', value: 'TEXT', summary: 'Transcript of the sample, or @FILE' },
        { name: 'model', short: 'm', kind: 'text', value: 'ID', field: 'model', summary: 'Model', default: 'glm-tts-clone', complete: 'model' },
      ],
      examples: [['voices clone anna sample.wav --text "Welcome to the museum."', 'Prints the id for audio speak --voice']],
      load: async () => (await import('./commands.ts')).clone,
    },
    {
      name: 'delete',
      aliases: ['rm'],
      summary: 'Delete a cloned voice',
      details: 'Asks first, unless --yes is set.',
      arguments: [{ name: 'ID', summary: 'Id of the voice', required: true }],
      examples: [['voices delete voice_clone_20260711_101201 --yes', 'Delete a voice without a question']],
      load: async () => (await import('./commands.ts')).remove,
    },
  ],
};
