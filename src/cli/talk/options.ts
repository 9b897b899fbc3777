// Options of the commands that ask a model, as data.
import { efforts } from '../table/settings.ts';
import type { CommandSpec, OptionSpec } from '../table/spec.ts';

export const linkKinds = ['image', 'video', 'document'] as const;

/** Model, system prompt and sampling. */
export const modelOptions: readonly OptionSpec[] = [
  { name: 'model', short: 'm', kind: 'text', value: 'ID', summary: 'Model to use (SVC_MODEL)', complete: 'model' },
  {
    name: 'fallback',
    kind: 'list',
    value: 'ID',
    field: 'models',
    summary: 'Model to use if --model is overloaded or not in the plan; repeatable',
    complete: 'model',
  },
  { name: 'system', short: 's', kind: 'text', value: 'TEXT|@FILE', summary: 'System prompt', complete: 'file' },
  { name: 'temperature', short: 't', kind: 'number', value: 'N', summary: 'Sampling temperature, 0 to 1' },
  { name: 'top-p', kind: 'number', value: 'N', summary: 'Nucleus sampling, 0.01 to 1' },
  { name: 'max-tokens', kind: 'integer', value: 'N', field: 'max_output_tokens', summary: 'Longest answer in tokens, reasoning included' },
  { name: 'stop', kind: 'list', value: 'TEXT', summary: 'Stop sequence; repeat for more' },
  {
    name: 'effort',
    kind: 'text',
    value: 'LEVEL',
    choices: efforts,
    excludes: 'thinking',
    summary: 'Thinking depth; without it, glm-5.2 and later use max. Levels',
  },
  {
    name: 'thinking',
    kind: 'text',
    value: 'WHEN',
    choices: ['on', 'off'],
    excludes: 'effort',
    summary: 'Reason before the answer (off is --effort off)',
  },
  { name: 'schema', kind: 'text', value: 'SCHEMA', summary: "Answer as JSON: a JSON Schema, @FILE, or 'name, age int'" },
  {
    name: 'budget',
    kind: 'text',
    value: 'AMOUNT',
    field: 'budget',
    summary: 'Send no more calls after this much is spent: 0.50 (US dollars) or 100000tokens',
  },
  { name: 'extract', short: 'x', summary: 'Print only the first code block' },
];

export const surfaceOption: OptionSpec = {
  name: 'surface',
  kind: 'text',
  value: 'NAME',
  choices: ['chat', 'messages', 'responses'],
  summary: 'Surface of the service; a conversation keeps its own',
};

/** One question with its files, tools and conversation. */
export const talkOptions: readonly OptionSpec[] = [
  {
    name: 'file',
    short: 'f',
    kind: 'list',
    value: 'PATH|URL|-',
    summary: 'Text, image, or URL of a document or video; repeatable',
    complete: 'file',
  },
  { name: 'as', kind: 'text', value: 'KIND', choices: linkKinds, summary: 'Kind of the links of --file, whatever their names' },
  { name: 'tool', kind: 'list', value: 'JSON|@FILE', summary: 'Declare tools from JSON; their calls are printed, not run' },
  { name: 'mcp', kind: 'list', value: 'COMMAND', summary: 'Run the tools of an MCP server, after a question for each call' },
  { name: 'web-search', summary: 'Let the service search the web; the sources go to stderr' },
  { name: 'no-stream', summary: 'Print the answer when it is complete' },
  { name: 'plain', summary: 'Print markdown as it is; a pipe always gets it so' },
  { name: 'hide-reasoning', short: 'R', summary: 'Keep the reasoning off stderr' },
  { name: 'usage', short: 'u', summary: 'Print tokens and estimated cost on stderr' },
  { name: 'continue', short: 'c', summary: 'Continue the last conversation' },
  { name: 'conversation', kind: 'text', value: 'NAME', summary: 'Continue a conversation that --save has stored' },
  { name: 'save', kind: 'text', value: 'NAME', summary: 'Store the conversation under a name' },
  { name: 'no-save', summary: 'Store no conversation' },
];

/** A template, for commands that ask one question. */
export const templateOptions: readonly OptionSpec[] = [
  { name: 'template', short: 'T', kind: 'text', value: 'NAME', summary: 'Ask with a template; options given here come first', complete: 'template' },
  { name: 'param', short: 'p', kind: 'list', value: 'NAME=VALUE', summary: 'Value of a variable of the template, or @FILE; repeatable' },
  { name: 'save-template', kind: 'text', value: 'NAME', summary: 'Save this command line as a template, and do not ask' },
];

/** Rules of help that the surfaces share. */
export const talkRules: NonNullable<CommandSpec['rules']> = [
  ['Prompt', 'It comes from the arguments, from stdin, or from both: stdin is then appended as a block.'],
  [
    'Conversations',
    'The last one is stored for --continue, readable only by you; --no-save turns that off. ' +
      'After Ctrl-C, SIGTERM or a broken connection it keeps the text that had arrived. An unanswered question is sent again with the next one.',
  ],
];
