import type { Command } from '../../cli.ts';
import { modelOptions, talkOptions, talkRules, templateOptions } from '../../talk/options.ts';

export const spec: Command = {
  name: 'messages',
  summary: 'The same as `chat --surface messages`',
  rules: talkRules,
  arguments: [{ name: 'PROMPT', summary: 'The question; - reads it from stdin', variadic: true }],
  options: [...modelOptions, ...talkOptions, ...templateOptions],
  examples: [
    ['messages "Why is the sky blue?"', 'Ask'],
    ['messages --thinking on --max-tokens 16000 "Prove it"', 'Reason before the answer'],
    ['messages --web-search "Who won today?"', 'Let the service search the web'],
    ['messages -o jsonl "Hi"', 'One event a line'],
  ],
  load: async () => (await import('./messages.ts')).run,
};
