// Help from the command table: examples first, then arguments and options.
import { globalOptions } from './global-options.ts';
import type { ArgumentSpec, CommandSpec, Example, OptionSpec, Section } from './spec.ts';

export const programName = 'modelsvc';

/** The place of a help text. */
export interface HelpPage {
  readonly width: number;
  readonly bold: (text: string) => string;
}

/** The page of a pipe, whatever the terminal beside it. */
export const pipePage: HelpPage = { width: 80, bold: (text) => text };

const programExamples: readonly Example[] = [
  ['chat "Why is the sky blue?"', 'Ask a model'],
  ['git diff | modelsvc chat "Write a commit message"', 'Add text from a pipe'],
  ['accounts add work', 'Store an API key'],
];

/** The first page: the groups by section, on one screen. */
export function programHelp(sections: readonly Section[], page: HelpPage): string {
  const titles = sections.map(({ title }) => title);
  return lines(
    ...opening(
      programExamples.map(([line]) => `  ${exampleLine(line)}`),
      page,
    ),
    ...rows(
      sections.map(({ title, groups }) => [
        title,
        groups
          .filter(({ isShortcut }) => isShortcut !== true)
          .map(({ name }) => name)
          .join(', '),
      ]),
      page,
      titles,
    ),
    '',
    `${programName} COMMAND --help   the options of a command`,
    `${programName} help --all       all commands and options with their meaning`,
  );
}

/** All groups with their summaries, and the options of every command. */
export function wholeHelp(sections: readonly Section[], page: HelpPage): string {
  const names = sections.flatMap(({ groups }) => groups.map(({ name }) => name));
  const listed = sections.flatMap(({ title, groups }) => [
    page.bold(`${title}:`),
    ...rows(
      groups.map(({ name, summary }) => [name, summary]),
      page,
      names,
    ),
    '',
  ]);
  return lines(
    ...opening([page.bold('Examples:'), ...exampleLines(programExamples, page)], page),
    ...listed,
    page.bold('Options of every command:'),
    ...rows(
      globalOptions.map((option) => [flagsText(option), meaningOf(option)]),
      page,
    ),
    '',
    `Run \`${programName} COMMAND --help\` for a command, and \`${programName} --version\` for the version.`,
  );
}

function opening(examples: readonly string[], page: HelpPage): string[] {
  const usage = `${page.bold('Usage:')} ${programName} COMMAND [ARGUMENTS] [OPTIONS]`;
  return [...wrapped('Command line for the Z.ai and BigModel API.', 0, page.width), '', ...examples, '', usage, ''];
}

/** Help of a command or group; `path` is its names without the program's. */
export function commandHelp(spec: CommandSpec, path: readonly string[], page: HelpPage): string {
  const name = [programName, ...path].join(' ');
  const { arguments: args = [], options = [], commands = [] } = spec;
  const usage = [name, ...args.map(argumentText), ...(commands.length > 0 && !spec.load ? ['COMMAND'] : []), '[OPTIONS]'].join(' ');
  return lines(
    ...wrapped(`${spec.summary}.`, 0, page.width),
    ...(spec.details ? ['', ...spec.details.split('\n').flatMap((paragraph) => wrapped(paragraph, 0, page.width))] : []),
    '',
    page.bold('Examples:'),
    ...exampleLines(spec.examples, page),
    '',
    `${page.bold('Usage:')} ${usage}`,
    ...part(
      page,
      'Commands',
      commands.map((command) => [[command.name, ...(command.aliases ?? [])].join(', '), command.summary]),
    ),
    ...part(
      page,
      'Arguments',
      args.map((one) => [one.name, meaningOf(one)]),
    ),
    ...part(
      page,
      'Options',
      options.map((option) => [flagsText(option), meaningOf(option)]),
    ),
    '',
    `Options of every command: ${programName} help --all`,
  );
}

function part(page: HelpPage, title: string, entries: readonly (readonly [string, string])[]): string[] {
  return entries.length === 0 ? [] : ['', page.bold(`${title}:`), ...rows(entries, page)];
}

function exampleLines(examples: readonly Example[], { width }: HelpPage): string[] {
  return examples.flatMap(([line, purpose]) => [...wrapped(purpose, 4, width).map((text) => `  # ${text}`), `  ${exampleLine(line)}`]);
}

/** An example as it is typed. A line that begins with another program contains the name of this one already. */
export function exampleLine(line: string): string {
  return ` ${line}`.includes(` ${programName} `) ? line : `${programName} ${line}`;
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
  const known = ('known' in one && one.known) || [];
  const isSaid = known.some((word) => ` ${one.summary} `.includes(` ${word} `));
  const hint = known.length === 0 || isSaid ? '' : `, for instance ${known.slice(0, 4).join(', ')}`;
  const mark = 'value' in one && one.required ? '. Required' : '';
  return one.summary + choices + hint + mark + (one.default === undefined ? '' : `. Default: ${one.default}`);
}

/** Two columns. The first is as wide as the longest of `names`, up to 28, and up to two fifths of the page. */
export function rows(
  entries: readonly (readonly [string, string])[],
  { width }: HelpPage,
  names: readonly string[] = entries.map(([left]) => left),
): string[] {
  const column = Math.min(28, Math.floor(width * 0.4), Math.max(...names.map((name) => name.length)) + 2);
  return entries.flatMap(([left, right]) => {
    const [first = '', ...rest] = wrapped(right, column + 2, width);
    const indent = ' '.repeat(column + 2);
    return left.length + 2 > column
      ? [`  ${left}`, ...[first, ...rest].map((line) => indent + line)]
      : [`  ${left.padEnd(column)}${first}`, ...rest.map((line) => indent + line)];
  });
}

function wrapped(text: string, indent: number, width: number): string[] {
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
