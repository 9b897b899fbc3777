import type { Command } from '../../cli.ts';
import { modelOptions, talkOptions, talkRules, templateOptions } from '../../talk/options.ts';

export const spec: Command = {
  name: 'responses',
  summary: 'The same as `chat --surface responses`',
  rules: talkRules,
  arguments: [{ name: 'PROMPT', summary: 'The question; - reads it from stdin', variadic: true }],
  options: [...modelOptions, ...talkOptions, ...templateOptions],
  examples: [
    ['responses "Why is the sky blue?"', 'Ask'],
    ['responses --effort low "Is 91 prime?"', 'Think little before the answer'],
    ['responses -o jsonl "Hi"', 'One event a line'],
  ],
  load: async () => (await import('./responses.ts')).run,
};
