import { audioSpeech, audioTranscribe } from '../../../generated/options.ts';
import type { Command } from '../../cli.ts';
import { modelOption, withFields } from '../../table/with-fields.ts';
import { outOptions } from '../shared-options.ts';

export const spec: Command = {
  name: 'audio',
  summary: 'Transcribe audio files and speak texts',
  examples: [
    ['audio transcribe call.wav', 'Print the text of an audio file'],
    ['audio speak "The train leaves at nine" -O train.wav', 'Speak a text'],
  ],
  commands: [
    withFields(audioTranscribe, {
      name: 'transcribe',
      summary: 'Transcribe an audio file',
      details: 'WAV or MP3, at most 25 MB and 30 seconds. Every call is billed.',
      arguments: [{ name: 'FILE', summary: 'Audio file; - reads stdin', required: true, complete: 'file' }],
      options: [
        { name: 'stream', summary: 'Print the text while it is recognized' },
        modelOption('glm-asr-2512'),
        { name: 'hotword', field: 'hotwords', value: 'WORD', summary: 'Name or term to prefer; may be repeated' },
        { field: 'prompt', summary: 'Earlier transcript of the same recording, or @FILE' },
      ],
      examples: [
        ['audio transcribe call.wav', 'Print the text'],
        ['audio transcribe call.mp3 --stream --hotword Zhipu', 'Print it while it is recognized'],
      ],
      load: async () => (await import('./audio.ts')).transcribe,
    }),
    withFields(audioSpeech, {
      name: 'speak',
      summary: 'Convert a text to speech',
      details: 'A text has at most 1,024 characters. Every call is billed.',
      arguments: [{ name: 'TEXT', field: 'input', summary: 'Text to speak, or @FILE; - or no text reads stdin', variadic: true }],
      options: [
        ...outOptions,
        { field: 'voice', value: 'ID', summary: 'Voice; see voices list', default: 'tongtong' },
        { field: 'speed' },
        { field: 'volume' },
        { name: 'format', field: 'response_format', value: 'NAME', summary: 'Sound file, or raw samples at 24 kHz', default: 'by the file name' },
        modelOption('glm-tts'),
      ],
      examples: [
        ['audio speak "The train leaves at nine" -O train.wav', 'Save the speech'],
        ['modelsvc audio speak @story.txt -O - | aplay', 'Play it'],
      ],
      load: async () => (await import('./audio.ts')).speak,
    }),
  ],
};
