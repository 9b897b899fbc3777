import { voiceClone, voiceDelete, voiceList } from '../../../generated/options.ts';
import type { Command } from '../../cli.ts';
import { modelOption, withFields } from '../../table/with-fields.ts';

export const spec: Command = {
  name: 'voices',
  summary: 'List, clone and delete voices',
  examples: [
    ['voices list', 'Voices of the service and of the account'],
    ['voices clone anna sample.wav --text "Welcome to the museum."', 'Clone a voice'],
  ],
  commands: [
    withFields(voiceList, {
      name: 'list',
      aliases: ['ls'],
      summary: 'List voices',
      options: [
        {
          name: 'type',
          field: 'voiceType',
          value: 'KIND',
          known: ['official', 'private'],
          summary: 'Only the voices of the service, or only clones',
        },
        { name: 'name', field: 'voiceName' },
      ],
      examples: [['voices list --type private', 'Clones of the account']],
      load: async () => (await import('./voices.ts')).list,
    }),
    withFields(voiceClone, {
      name: 'clone',
      summary: 'Clone a voice from a sample',
      details:
        'The sample is a wav or mp3 file of at most 10 MB; 3 to 30 seconds are advised. Documented for the china host only. Every call is billed.',
      arguments: [
        { name: 'NAME', field: 'voice_name', summary: 'Name of the new voice', required: true },
        { name: 'FILE', summary: 'Sample', complete: 'file' },
      ],
      options: [
        { name: 'text', field: 'input', required: true, summary: 'Text that the trial clip speaks, or @FILE' },
        { field: 'file_id', value: 'ID', summary: 'Stored sample, instead of FILE' },
        { name: 'transcript', field: 'text', summary: 'Transcript of the sample, or @FILE' },
        modelOption('glm-tts-clone'),
      ],
      examples: [['voices clone anna sample.wav --text "Welcome to the museum."', 'Prints the id for audio speak --voice']],
      load: async () => (await import('./voices.ts')).clone,
    }),
    withFields(voiceDelete, {
      name: 'delete',
      aliases: ['rm'],
      summary: 'Delete a cloned voice',
      details: 'Asks first, unless --yes is set.',
      arguments: [{ name: 'ID', field: 'voice', summary: 'Id of the voice', required: true }],
      examples: [['voices delete voice_clone_20260711_101201 --yes', 'Delete a voice without a question']],
      load: async () => (await import('./voices.ts')).remove,
    }),
  ],
};
