// Help from the command table: examples first, then arguments and options.
import { globalOptions } from './global-options.ts';
import type { ArgumentSpec, CommandSpec, Example, OptionSpec, Section } from './spec.ts';

const width = 80;
export const programName = 'modelsvc';

/** Help of the program: the groups by section. */
export function programHelp(sections: readonly Section[]): string {
  const names = sections.flatMap(({ groups }) => groups.map(({ name }) => name));
  const listed = sections.flatMap(({ title, groups }) => [
    `${title}:`,
    ...rows(
      groups.map(({ name, summary }) => [name, summary]),
      names,
    ),
    '',
  ]);
  const examples: readonly Example[] = [
    ['chat "Why is the sky blue?"', 'Ask a model'],
    ['git diff | modelsvc chat "Write a commit message"', 'Add text from a pipe'],
    ['accounts add work', 'Store an API key'],
  ];
  return lines(
    'Command line for the Z.ai and BigModel API.',
    '',
    'Examples:',
    ...exampleLines(examples),
    '',
    `Usage: ${programName} COMMAND [ARGUMENTS] [OPTIONS]`,
    '',
    ...listed,
    'Options of every command:',
    ...rows(globalOptions.map((option) => [flagsText(option), meaningOf(option)])),
    '',
    `Run \`${programName} COMMAND --help\` for a command, and \`${programName} --version\` for the version.`,
  );
}

/** Help of a command or group; `path` is its names without the program's. */
export function commandHelp(spec: CommandSpec, path: readonly string[]): string {
  const name = [programName, ...path].join(' ');
  const { arguments: args = [], options = [], commands = [] } = spec;
  const usage = [name, ...args.map(argumentText), ...(commands.length > 0 && !spec.load ? ['COMMAND'] : []), '[OPTIONS]'].join(' ');
  return lines(
    `${spec.summary}.`,
    ...(spec.details ? ['', ...spec.details.split('\n').flatMap((paragraph) => wrapped(paragraph, 0))] : []),
    '',
    'Examples:',
    ...exampleLines(spec.examples),
    '',
    `Usage: ${usage}`,
    ...part(
      'Commands',
      commands.map((command) => [[command.name, ...(command.aliases ?? [])].join(', '), command.summary]),
    ),
    ...part(
      'Arguments',
      args.map((one) => [one.name, meaningOf(one)]),
    ),
    ...part(
      'Options',
      options.map((option) => [flagsText(option), meaningOf(option)]),
    ),
    '',
    `Options of every command: ${programName} --help`,
  );
}

function part(title: string, entries: readonly (readonly [string, string])[]): string[] {
  return entries.length === 0 ? [] : ['', `${title}:`, ...rows(entries)];
}

function exampleLines(examples: readonly Example[]): string[] {
  return examples.flatMap(([line, purpose]) => [`  # ${purpose}`, `  ${exampleLine(line)}`]);
}

/** An example as it is typed. A line that begins with another program contains the name of this one already. */
export function exampleLine(line: string): string {
  return line.startsWith(`${programName} `) || line.includes(`| ${programName} `) ? line : `${programName} ${line}`;
}

export function argumentText({ name, required, variadic }: NonNullable<CommandSpec['arguments']>[number]): string {
  const text = variadic ? `${name}...` : name;
  return required ? text : `[${text}]`;
}

/** `-m, --model ID`. */
export function flagsText({ name, short, value, optional }: OptionSpec): string {
  const valueText = value === undefined ? '' : optional ? `[=${value}]` : ` ${value}`;
  return `${short === undefined ? '    ' : `-${short}, `}--${name}${valueText}`;
}

/** The summary of an option or argument with its choices and its default. */
export function meaningOf(one: ArgumentSpec | OptionSpec): string {
  const choices = 'choices' in one && one.choices && !one.optional ? `: ${one.choices.join(', ')}` : '';
  return one.summary + choices + (one.default === undefined ? '' : `. Default: ${one.default}`);
}

/** Two columns. The first is as wide as the longest of `names`, up to 28. */
export function rows(entries: readonly (readonly [string, string])[], names: readonly string[] = entries.map(([left]) => left)): string[] {
  const column = Math.min(28, Math.max(...names.map((name) => name.length)) + 2);
  return entries.flatMap(([left, right]) => {
    const [first = '', ...rest] = wrapped(right, column + 2);
    const indent = ' '.repeat(column + 2);
    return left.length + 2 > column
      ? [`  ${left}`, ...[first, ...rest].map((line) => indent + line)]
      : [`  ${left.padEnd(column)}${first}`, ...rest.map((line) => indent + line)];
  });
}

function wrapped(text: string, indent: number): string[] {
  const found: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && indent + line.length + 1 + word.length > width) {
      found.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...found, line];
}

function lines(...list: string[]): string {
  return `${list.join('\n')}\n`;
}
