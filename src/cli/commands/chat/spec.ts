import type { Command } from '../../cli.ts';
import { modelOptions, surfaceOption, talkOptions, talkRules, templateOptions } from '../../talk/options.ts';

const keptInRepl = ['no-stream', 'plain', 'hide-reasoning', 'usage', 'continue', 'conversation', 'save', 'no-save', 'mcp'];

export const spec: Command = {
  name: 'chat',
  summary: 'Ask a model and print its answer as it arrives',
  details: 'Without a prompt on a terminal it is `chat repl`. The word chat may be left out before a prompt of several words.',
  rules: talkRules,
  arguments: [{ name: 'PROMPT', summary: 'The question; - reads it from stdin', variadic: true }],
  options: [...modelOptions, ...talkOptions, ...templateOptions, surfaceOption, { name: 'async', summary: 'Submit a job and print its id' }],
  examples: [
    ['chat "Why is the sky blue?"', 'Ask'],
    ['git diff | modelsvc chat "Write a commit message"', 'Add text from a pipe'],
    ['chat', 'Talk, on a terminal'],
    ['chat -c "Shorter, please"', 'Continue the last conversation'],
    ['chat -f photo.jpg "Read the sign"', 'Ask about an image'],
    ["chat --schema 'name, age int' < letter.txt", 'Get JSON'],
    ["chat -s 'Answer in {lang}' 'Explain {topic}' --save-template explain", 'Save a template'],
    ['chat -T explain -p lang=German -p topic=tides', 'Ask with it'],
    ['chat -x "A Makefile for Go" > Makefile', 'Keep only the code'],
  ],
  load: async () => (await import('./chat.ts')).chat,
  commands: [
    {
      name: 'repl',
      summary: 'Talk to a model, line by line',
      details: 'Enter sends the line. A line """ begins and ends a text of several lines; a paste is one question.',
      rules: [
        ['Commands', '/retry, /undo, /edit, /model, /system, /file, /save, /load, /clear, /cost, /help, /exit'],
        [
          'Keys',
          'TAB completes commands, models and files. Ctrl-R finds an earlier question. Ctrl-C stops an answer and drops queued lines; twice at the prompt, it ends the program.',
        ],
        ['Queue', 'Lines typed during an answer are queued. When it asks about a tool, they are dropped, and earlier keystrokes are ignored.'],
        ['Tools', 'The key a allows the tool for the session.'],
        ['History', 'Typed texts are kept for later sessions, readable only by you; --no-save and --no-log turn that off.'],
      ],
      options: [...modelOptions, ...talkOptions.filter(({ name }) => keptInRepl.includes(name))],
      examples: [
        ['chat repl', 'Talk'],
        ['chat repl -c', 'Continue the last conversation'],
      ],
      load: async () => (await import('./repl.ts')).run,
    },
  ],
};
