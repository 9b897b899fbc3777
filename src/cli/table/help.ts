// Help from the command table: examples first, then arguments and options.
import { globalOptions } from './global-options.ts';
import type { ArgumentSpec, CommandSpec, Example, OptionSpec, Section } from './spec.ts';

export const programName = 'modelsvc';

/** The place of a help text. */
export interface HelpPage {
  readonly width: number;
  readonly bold: (text: string) => string;
}

/** The page of a pipe, whatever the terminal next to it. */
export const pipePage: HelpPage = { width: 80, bold: (text) => text };

const programExamples: readonly Example[] = [
  ['chat "Why is the sky blue?"', 'Ask a model'],
  ['git diff | modelsvc chat "Write a commit message"', 'Add text from a pipe'],
  ['accounts add work', 'Store an API key'],
];

/** Options of every command that the first page has. */
const commonOptions = ['json', 'dry-run', 'account', 'base-url', 'debug'];

/** The first page: a line for each group that is not a shortcut, and the common options. */
export function programHelp(sections: readonly Section[], page: HelpPage): string {
  const shown = sections.map(({ title, groups }) => ({ title, groups: groups.filter(({ isShortcut }) => isShortcut !== true) }));
  const common = commonOptions.flatMap((name) => globalOptions.filter((option) => option.name === name));
  return wholePage(shown, page, ['Common options', common], [`All options of every command: ${programName} help options`]);
}

/** All groups, and the options of every command. */
export function wholeHelp(sections: readonly Section[], page: HelpPage): string {
  return wholePage(sections, page, ['Options of every command', globalOptions], []);
}

function wholePage(
  sections: readonly Section[],
  page: HelpPage,
  [title, options]: readonly [string, readonly OptionSpec[]],
  after: readonly string[],
): string {
  const names = sections.flatMap(({ groups }) => groups.map(({ name }) => name));
  return lines(
    ...opening([page.bold('Examples:'), ...exampleLines(programExamples, page)], page),
    ...sections.flatMap((section) => [
      page.bold(`${section.title}:`),
      ...rows(
        section.groups.map(({ name, summary }) => [name, summary]),
        page,
        names,
      ),
      '',
    ]),
    page.bold(`${title}:`),
    ...rows(optionRows(options), page),
    '',
    ...after,
    `Options of one command: ${programName} COMMAND --help`,
  );
}

/** Options with their meaning. */
export function optionRows(options: readonly OptionSpec[]): readonly (readonly [string, string])[] {
  return options.map((option) => [flagsText(option), meaningOf(option)]);
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
    ...part(page, 'Options', optionRows(options)),
    ...(spec.rules ?? []).flatMap(([heading, text]) => ['', page.bold(`${heading}:`), ...wrapped(text, 2, page.width).map((line) => `  ${line}`)]),
    '',
    `Options of every command: ${programName} help options`,
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
