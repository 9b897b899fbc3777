import type { Command } from '../../cli.ts';
import { outOptions } from '../shared-options.ts';

export const spec: Command = {
  name: 'audio',
  summary: 'Transcribe audio files and speak texts',
  examples: [
    ['audio transcribe call.wav', 'Print the text of an audio file'],
    ['audio speak "The train leaves at nine" -O train.wav', 'Speak a text'],
  ],
  commands: [
    {
      name: 'transcribe',
      summary: 'Transcribe an audio file',
      details: 'WAV or MP3, at most 25 MB and 30 seconds. Every call is billed.',
      arguments: [{ name: 'FILE', summary: 'Audio file; - reads stdin', required: true, complete: 'file' }],
      options: [
        { name: 'stream', summary: 'Print the text while it is recognized' },
        { name: 'model', short: 'm', kind: 'text', value: 'ID', field: 'model', summary: 'Model', default: 'glm-asr-2512', complete: 'model' },
        { name: 'hotword', kind: 'list', value: 'WORD', field: 'hotwords', summary: 'Name or term to prefer; may be repeated' },
        { name: 'prompt', kind: 'text', value: 'TEXT', summary: 'Earlier transcript of the same recording, or @FILE' },
      ],
      examples: [
        ['audio transcribe call.wav', 'Print the text'],
        ['audio transcribe call.mp3 --stream --hotword Zhipu', 'Print it while it is recognized'],
      ],
      load: async () => (await import('./commands.ts')).transcribe,
    },
    {
      name: 'speak',
      summary: 'Convert a text to speech',
      details: 'A text has at most 1,024 characters. Every call is billed.',
      arguments: [{ name: 'TEXT', field: 'input', summary: 'Text to speak, or @FILE; - or no text reads stdin', variadic: true }],
      options: [
        ...outOptions,
        { name: 'voice', kind: 'text', value: 'ID', field: 'voice', summary: 'Voice; see voices list', default: 'tongtong' },
        { name: 'speed', kind: 'number', value: 'X', field: 'speed', summary: 'Speed factor from 0.5 to 2', default: '1' },
        { name: 'volume', kind: 'number', value: 'X', field: 'volume', summary: 'Volume factor up to 10', default: '1' },
        {
          name: 'format',
          kind: 'text',
          value: 'NAME',
          choices: ['wav', 'pcm'],
          summary: 'Sound file, or raw samples at 24 kHz',
          default: 'by the file name',
        },
        { name: 'model', short: 'm', kind: 'text', value: 'ID', field: 'model', summary: 'Model', default: 'glm-tts', complete: 'model' },
      ],
      examples: [
        ['audio speak "The train leaves at nine" -O train.wav', 'Save the speech'],
        ['modelsvc audio speak @story.txt -O - | aplay', 'Play it'],
      ],
      load: async () => (await import('./commands.ts')).speak,
    },
  ],
};
