// The first word of a command line that is not an option: a command, a shortcut of one, a prompt, or a slip.
import { type CliError, usageError } from '../errors/exit.ts';
import { globalOptions } from '../table/global-options.ts';
import { nearMiss } from '../table/near-miss.ts';
import { withoutShortcut } from '../table/shortcuts.ts';
import { type GroupEntry, isNamed, type OptionSpec } from '../table/spec.ts';
import { inLongForm, isDashText } from './long-form.ts';

/** The group that gets a prompt without a command. */
const chatCommand = 'chat';

/** The command line with its command: the shortcut's, or `chat` before a prompt. Throws a CliError for a command in quotes. */
export async function withCommand(given: readonly string[], groups: readonly GroupEntry[]): Promise<readonly string[]> {
  const startsWithOption = given[0]?.startsWith('-') === true;
  const options = startsWithOption ? await chatOptions(groups) : [];
  const argv = startsWithOption ? inLongForm(given, [...globalOptions, ...options]) : given;
  const at = firstWord(argv, [...globalOptions, ...options]);
  const end = argv.indexOf('--');
  if (at < 0) return hasOption(argv, options) ? [chatCommand, ...argv] : argv;
  const word = argv[at] as string;
  const isPrompt = (end >= 0 && end < at) || word === '-' || isText(word) || isDashText(word, [...globalOptions, ...options]);
  if (!isPrompt) {
    const words = withoutShortcut(argv, at);
    // Commander would report the option, which only the command has.
    const isAsking = words === argv && hasOption(argv.slice(0, at), options);
    if (isAsking && !groups.some(({ name }) => name === word)) throw await unknownCommand(given, word, groups);
    return withOnlyCommand(words, groups);
  }
  await refuseQuotedCommand(word, groups);
  return [chatCommand, ...argv];
}

/** The words with the command that a group means: `logs`, or the only one, if another word follows: `embeddings hello`. */
async function withOnlyCommand(words: readonly string[], groups: readonly GroupEntry[]): Promise<readonly string[]> {
  const at = firstWord(words, globalOptions);
  const group = at < 0 ? undefined : groups.find(({ name }) => name === words[at]);
  const { load, commands = [] } = (await group?.load())?.spec ?? {};
  const only = group?.alone === undefined ? commands[0] : commands.find(({ name }) => name === group.alone);
  if (!only || load || (group?.alone === undefined && commands.length > 1)) return words;
  const rest = words.slice(at + 1);
  const next = rest[firstWord(rest, [...globalOptions, ...(only.options ?? [])])];
  const named = [...words.slice(0, at + 1), only.name, ...rest];
  if (group?.alone !== undefined) return next === undefined && !words.some((word) => word === '--help' || word === '-h') ? named : words;
  if (next === undefined || isNamed(only, next) || nearMiss(next, [only.name]) !== undefined) return words;
  // `images list` is a slip, and no prompt to pay for.
  const specs = await Promise.all(groups.map(async (one) => (await one.load()).spec));
  return specs.some((one) => one.commands?.some((command) => isNamed(command, next))) ? words : named;
}

/** True for a word that is not the name of a command, however it is misspelled. A prompt of one plain word needs `chat`. */
function isText(word: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the range is ASCII
  return /[\s?!]|[^\x00-\x7f]/.test(word) && !word.startsWith('-');
}

async function chatOptions(groups: readonly GroupEntry[]): Promise<readonly OptionSpec[]> {
  const group = groups.find(({ name }) => name === chatCommand);
  return (await group?.load())?.spec.options ?? [];
}

/** The place of the first word that is neither an option nor the value of one, or -1. */
function firstWord(argv: readonly string[], options: readonly OptionSpec[]): number {
  const valued = options.filter(({ kind = 'flag', optional }) => kind !== 'flag' && optional !== true);
  const end = argv.indexOf('--');
  return argv.findIndex((word, at) => {
    if (end >= 0 && at >= end) return at > end;
    return (word === '-' || !word.startsWith('-') || isDashText(word, options)) && !isOneOf(valued, argv[at - 1] ?? '');
  });
}

/** True if one of the words is one of the options, with or without a value. */
export function hasOption(words: readonly string[], options: readonly OptionSpec[]): boolean {
  return words.some((word) => isOneOf(options, word.replace(/=.*/s, '')));
}

function isOneOf(options: readonly OptionSpec[], word: string): boolean {
  return options.some(({ name, short }) => word === `--${name}` || (short !== undefined && word === `-${short}`));
}

/** `modelsvc "accounts list"` is a slip of quotes. */
async function refuseQuotedCommand(word: string, groups: readonly GroupEntry[]): Promise<void> {
  const [first = '', second = ''] = word.split(/\s+/);
  const group = groups.find(({ name }) => name === first);
  const commands = (await group?.load())?.spec.commands ?? [];
  if (commands.some((one) => isNamed(one, second)))
    throw usageError(`unknown command '${word}'; did you mean ${word} without quotes?`, `To ask a model, run \`modelsvc ${chatCommand} '${word}'\`.`);
}

/** The first word after the program's own options. */
export function firstOf(argv: readonly string[]): string {
  return argv[firstWord(argv, globalOptions)] ?? '';
}

/** The error for a first word that is not a command. It names those that it is near. */
export async function unknownCommand(argv: readonly string[], word: string, groups: readonly GroupEntry[]): Promise<CliError> {
  const specs = await Promise.all(groups.map(async (group) => (await group.load()).spec));
  const paths = specs.flatMap(({ name, commands = [] }) => commands.flatMap((one) => (isNamed(one, word) ? [`${name} ${one.name}`] : [])));
  const near = nearMiss(
    word,
    groups.map(({ name }) => name),
  );
  const all = [...(near === undefined ? [] : [near]), ...paths];
  const meant = word === 'version' ? '--version' : all.length < 5 ? all.join(' or ') : (near ?? '');
  return usageError(
    `unknown command '${word}'${meant === '' ? '' : `; did you mean ${meant}?`}`,
    `Run \`modelsvc --help\` for the commands. To ask a model, run \`modelsvc ${chatCommand} ${argv.join(' ')}\`.`,
  );
}
