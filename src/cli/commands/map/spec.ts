import type { Command } from '../../cli.ts';
import { modelOptions } from '../../talk/options.ts';

export const spec: Command = {
  name: 'map',
  summary: 'Ask the same of every line of a file',
  details:
    'TEMPLATE contains {line}, or a field of each row such as {name} or {author.name}; {{ and }} are braces. Prints a line of JSON for each row.',
  rules: [
    [
      'Rows',
      'Lines of text, or of JSON if TEMPLATE names a field. A file that ends with .csv or .tsv is then a table: its first line names the columns, and its values are texts. ' +
        'A result has the index of its row. Exit code 8: some rows failed. An answer that is not usable is in `answer`, next to its error.',
    ],
    ['Resume', 'With -O out.jsonl, each result is appended on arrival. Run the same command again to send only missing and failed rows.'],
    [
      'Start over',
      'With --force, results go to out.jsonl.new, which replaces out.jsonl after each row has an answer. ' +
        'Until then, run the same command again with --force to continue. Delete out.jsonl.new to start over, or rename it to keep its failed rows.',
    ],
    [
      'Progress',
      'On a terminal, a line shows the part that is done, the rate, the time left, tokens and cost; in a pipe, a line a minute. The summary lists failures by reason.',
    ],
    [
      'Interrupt',
      'Ctrl-C aborts the calls in flight, and prints the command that continues. Answers that have arrived are written first, with --ordered in the order of the rows. A second Ctrl-C ends at once.',
    ],
    ['Budget', 'With --budget, calls in flight go on, so their cost can exceed it. A later run has a new budget.'],
  ],
  arguments: [
    { name: 'TEMPLATE', summary: 'Prompt of each row; @FILE reads it', required: true, complete: 'file' },
    { name: 'FILE', summary: 'Lines of text or JSON, or a CSV; - or no file reads stdin', complete: 'file' },
  ],
  options: [
    ...modelOptions,
    { name: 'out', short: 'O', kind: 'text', value: 'FILE', summary: 'Append results to a file, and skip those that it has', complete: 'file' },
    { name: 'csv', summary: 'The rows are a table with a header, from stdin too' },
    { name: 'ordered', summary: 'Write results in the order of the rows' },
    { name: 'concurrency', kind: 'integer', value: 'N', summary: 'Calls at once', default: 'learned from the service' },
    { name: 'force', summary: 'Start over; the file of -O is replaced at the end' },
  ],
  examples: [
    ["map 'Translate to German: {line}' words.txt", 'One question a line'],
    ["map 'Classify: {title}' -O out.jsonl rows.jsonl", 'Fields of JSONL, resumable'],
    ["map 'Greet {name} of {city}' rows.csv", 'Columns of a CSV'],
    ["cat names.txt | modelsvc map --schema 'first, last' 'Split: {line}'", 'Structured output'],
  ],
  load: async () => (await import('./map.ts')).run,
};
