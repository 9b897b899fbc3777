// Parses the command line with commander, which is built from the command table.
import { Command, CommanderError, Option } from 'commander';
import { usageError } from '../errors/exit.ts';
import { type GlobalValues, globalOptions } from '../table/global-options.ts';
import { argumentText, commandHelp, type HelpPage, programHelp, programName, wholeHelp } from '../table/help.ts';
import { nearMiss } from '../table/near-miss.ts';
import { type CommandSpec, type GroupEntry, groupsOf, isNamed, type OptionSpec, type Section } from '../table/spec.ts';
import { firstOf, hasOption, unknownCommand, withCommand } from './first-word.ts';
import { Input, type OptionValue, optionValue } from './input.ts';
import { inLongForm, isDashText } from './long-form.ts';

/** The called command with its input, or the requested help. */
export type Parsed<Code> =
  | {
      readonly kind: 'run';
      readonly load: () => Promise<Code>;
      readonly input: Input;
      readonly globals: GlobalValues;
      /** True if the command works on this machine only. */
      readonly isLocal?: boolean;
      /** True if the command prints the preview for `--dry-run` itself. */
      readonly previews?: boolean;
    }
  | {
      readonly kind: 'help';
      /** Names of the command; none for the help of the program. */
      readonly path: readonly string[];
      readonly globals: GlobalValues;
      readonly text: (page: HelpPage) => string;
      /** A group was called without a command, and `--help` was not given. */
      readonly isBare: boolean;
    };

/** Parses the arguments after the program's name. Throws a CliError for wrong usage. */
export async function parse<Code>(given: readonly string[], sections: readonly Section<Code>[]): Promise<Parsed<Code>> {
  const groups = groupsOf(sections);
  const argv = await withCommand(given, groups);
  let parsed: Parsed<Code> | undefined;
  const found = (value: Parsed<Code>): void => void (parsed = value);
  const texts = new Map<string, string>();
  const program = base(new Command(programName));
  for (const option of globalOptions) if (option.name !== 'help') program.addOption(optionOf(option, texts));
  program.helpInformation = () => {
    const help = argv.includes('--all') ? wholeHelp : programHelp;
    found({ kind: 'help', path: [], text: (page) => help(sections, page), isBare: false, globals: globalsOf(program) });
    return '';
  };
  const called = groupIn(argv, groups);
  let words: readonly string[] = inLongForm(argv, globalOptions);
  let spec: CommandSpec<Code> | undefined;
  // Only the called group is loaded; the others need their names only.
  for (const group of groups) {
    if (group.name === called) {
      ({ spec } = await group.load());
      refuseNumber(argv, allOptions(spec));
      addCommand(program, spec, [], { found, texts, beforeEnd: argv.includes('--') ? argv.slice(0, argv.indexOf('--')) : undefined });
      const options = allOptions(spec);
      words = commandFirst(inLongForm(argv, [...globalOptions, ...options]), group.name, options);
    } else base(program.command(group.name));
  }
  try {
    await program.parseAsync(marked(words, [...globalOptions, ...(spec ? allOptions(spec) : [])]), { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // `commander.help` is the help of a group that was called without a command.
    const isBare = error.code === 'commander.help';
    if (parsed?.kind === 'help' && (isBare || error.code === 'commander.helpDisplayed')) return { ...parsed, isBare };
    if (called === undefined && error.code === 'commander.unknownCommand') throw await unknownCommand(given, firstOf(argv), groups);
    const help = `Run \`${[programName, ...(called === undefined ? [] : [called])].join(' ')} --help\`.`;
    if (error.code === 'commander.unknownOption' && spec)
      throw usageError(oneLine(error.message), `${help} A text that begins with a dash goes after \`--\`.`);
    throw usageError(oneLine(error.message), spec && error.code === 'commander.unknownCommand' ? `${commandsOf(spec, argv)} ${help}` : help);
  }
  if (!parsed) throw new TypeError('commander ran no command');
  if (parsed.kind !== 'run') return parsed;
  const { isLocal = false, previews = false } = groups.find(({ name }) => name === called) ?? {};
  if (parsed.globals.dryRun === undefined) return { ...parsed, isLocal };
  if (isLocal) throw usageError(`${called} sends no request that --dry-run could print`);
  if (previews && parsed.globals.dryRun !== '') throw usageError(`${called} has no command that --dry-run=${parsed.globals.dryRun} could print`);
  return { ...parsed, previews };
}

/** In other programs `-n 2` is a number of things. Here the number would be a word of the prompt. */
function refuseNumber(argv: readonly string[], options: readonly OptionSpec[]): void {
  const end = argv.indexOf('--');
  const next = (end < 0 ? argv : argv.slice(0, end)).find((word, at) => argv[at - 1] === '-n' && /^\d+$/.test(word));
  if (next === undefined) return;
  const own = options.find(({ name }) => ['count', 'limit', 'top'].includes(name));
  const meant = own ? `For a number, pass --${own.name} ${next}.` : 'The command has no number of results.';
  throw usageError(`-n is --dry-run and takes no ${next}`, `${meant} To preview a prompt that is a number, put it first.`);
}

/** No word of a command line has it. */
const mark = '\0';

/** Texts that begin with a dash get a mark, because commander would read them as options. */
function marked(words: readonly string[], options: readonly OptionSpec[]): string[] {
  const end = words.indexOf('--');
  return words.map((word, at) => ((end < 0 || at < end) && isDashText(word, options) ? mark + word : word));
}

function unmarked(word: string): string {
  return word.startsWith(mark) ? word.slice(mark.length) : word;
}

/** Commander takes options of a command only after its name. */
function commandFirst(words: readonly string[], name: string, options: readonly OptionSpec[]): readonly string[] {
  const before = words.slice(0, words.indexOf(name));
  return hasOption(before, options) ? [name, ...before, ...words.slice(before.length + 1)] : words;
}

/** The commands of a group, or of its group that the words name. */
function commandsOf({ name, commands = [] }: CommandSpec, words: readonly string[]): string {
  const inner = commands.find((one) => one.commands && words.some((word) => isNamed(one, word)));
  return inner ? commandsOf(inner, words) : `Commands of ${name}: ${commands.map((one) => one.name).join(', ')}.`;
}

function allOptions({ options = [], commands = [] }: CommandSpec): OptionSpec[] {
  return [...options, ...commands.flatMap(allOptions)];
}

/** The first word that is a group and not the value of an option: `models` in `-a files models list`. */
function groupIn(argv: readonly string[], groups: readonly GroupEntry[]): string | undefined {
  const flags = globalOptions
    .filter(({ kind = 'flag', optional }) => kind !== 'flag' && optional !== true)
    .flatMap(({ name, short }) => [`--${name}`, `-${short}`]);
  return argv.find((word, at) => groups.some(({ name }) => name === word) && !flags.includes(argv[at - 1] ?? ''));
}

function base(command: Command): Command {
  return command
    .exitOverride()
    .configureOutput({ writeOut: () => undefined, writeErr: () => undefined })
    .helpCommand(false)
    .showSuggestionAfterError(true);
}

/** Results of parsing. */
interface Parsing<Code> {
  readonly found: (parsed: Parsed<Code>) => void;
  /** Values of options as they were typed. */
  readonly texts: Map<string, string>;
  /** The words before `--`; undefined without it. */
  readonly beforeEnd: readonly string[] | undefined;
}

function addCommand<Code>(parent: Command, spec: CommandSpec<Code>, above: readonly string[], parsing: Parsing<Code>): void {
  const { found, texts, beforeEnd } = parsing;
  const path = [...above, spec.name];
  const command = base(parent.command(spec.name));
  for (const alias of spec.aliases ?? []) command.alias(alias);
  for (const argument of spec.arguments ?? []) {
    const text = argumentText(argument);
    command.argument(argument.required ? `<${text}>` : text);
  }
  for (const option of spec.options ?? []) command.addOption(optionOf(option, texts));
  // Commander calls this to print its own help. The help of the table is kept instead.
  command.helpInformation = () => {
    found({ kind: 'help', path, text: (page) => commandHelp(spec, path, page), isBare: false, globals: globalsOf(command) });
    return '';
  };
  const { load } = spec;
  if (load)
    command.action(() => {
      const values = optionsOf(command);
      const args = command.args.map(unmarked);
      if (!beforeEnd) checkWord(args, spec, path);
      found({ kind: 'run', load, input: new Input(spec, args, byName(spec.options ?? [], values), texts), globals: globalsOf(command) });
    });
  // A word after `--` is an argument, even if a command has its name.
  const isCommand = ({ name, aliases = [] }: CommandSpec): boolean =>
    !load || !beforeEnd || [name, ...aliases].some((one) => beforeEnd.includes(one));
  for (const one of spec.commands ?? []) if (isCommand(one)) addCommand(command, one, path, parsing);
}

/** Throws if the only argument is nearly the name of a command: it is probably a slip. */
function checkWord([word, ...more]: readonly string[], { commands = [] }: CommandSpec, path: readonly string[]): void {
  const names = commands.map(({ name }) => name);
  const meant = word === undefined || more.length > 0 ? undefined : nearMiss(word, names);
  if (meant === undefined) return;
  const line = [programName, ...path].join(' ');
  throw usageError(`${path.join(' ')} has no command ${word}; did you mean ${meant}?`, `To send the word as it is, run \`${line} -- ${word}\`.`);
}

function optionOf(spec: OptionSpec, texts: Map<string, string>): Option {
  const { name, short, kind = 'flag', value, optional } = spec;
  const valueText = kind === 'flag' ? '' : optional ? ` [${value}]` : ` <${value}>`;
  const option = new Option(`${short === undefined ? '' : `-${short}, `}--${name}${valueText}`);
  if (kind === 'list')
    return option.argParser((text: string, before: readonly string[] | undefined) => [...(before ?? []), String(optionValue(spec, unmarked(text)))]);
  if (optional) option.preset('');
  if (kind !== 'flag')
    option.argParser((given: string) => {
      const text = unmarked(given);
      texts.set(name, text);
      return optionValue(spec, text);
    });
  return option;
}

/** Values by the names of the table. Commander has `--no-stream` as `stream: false`, also in addition to an option `--stream NAME`. */
function byName(options: readonly OptionSpec[], values: Readonly<Record<string, OptionValue>>): Record<string, OptionValue> {
  return Object.fromEntries(
    options.map(({ name }) =>
      name.startsWith('no-')
        ? [name, values[camel(name.slice(3))] === false]
        : [name, values[camel(name)] === false ? undefined : values[camel(name)]],
    ),
  );
}

/** Values of a command and its groups: an option that a group has too is parsed by the group. The program's own options are not among them. */
function optionsOf(command: Command): Record<string, OptionValue> {
  if (!command.parent) return {};
  // Commander gives `--no-stream` a default, which must not hide what the group has parsed.
  const given = Object.entries(command.opts<Record<string, OptionValue>>()).filter(([name]) => command.getOptionValueSource(name) !== 'default');
  return { ...optionsOf(command.parent), ...Object.fromEntries(given) };
}

function globalsOf(command: Command): GlobalValues {
  let root = command;
  while (root.parent) root = root.parent;
  return root.opts<GlobalValues>();
}

function camel(name: string): string {
  return name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** `error: unknown option '--jsn'\n(Did you mean --json?)` as `unknown option '--jsn'; did you mean --json?`. */
function oneLine(message: string): string {
  return message.replace(/^error: /, '').replace(/\n\(Did you mean (.+?)\)$/s, '; did you mean $1');
}
