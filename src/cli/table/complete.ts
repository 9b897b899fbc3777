// Candidates for the word that is being typed. Called by the completion scripts as `modelsvc __complete WORDS`.
import { globalOptions } from './global-options.ts';
import { withoutShortcut } from './shortcuts.ts';
import { type CommandSpec, type GroupEntry, isNamed, type OptionSpec } from './spec.ts';

export type Completion = readonly [word: string, description: string];

type LocalKind = Exclude<NonNullable<OptionSpec['complete']>, 'file'>;

/** Values that come from local data, such as the names of accounts. */
export type LocalValues = (kind: LocalKind) => Promise<readonly string[]>;

/** Instead of candidates, where the shell completes file names. */
const files: readonly Completion[] = [[':files', '']];

/** Candidates for the last of `words`. Candidates of `--output=js` contain the option, unless the shell has split it at the equals sign. */
export async function candidates(groups: readonly GroupEntry[], words: readonly string[], local: LocalValues): Promise<readonly Completion[]> {
  const given = joinedAtEquals(words);
  const typed = given.at(-1) ?? '';
  if (given.slice(0, -1).includes('--')) return files;
  const { spec, before, level } = await commandOf(groups, given.slice(0, -1));
  const options = [...(spec?.options ?? []), ...globalOptions];
  const [, joined] = /^(--[\w-]+)=/.exec(typed) ?? [];
  const name = joined ?? before;
  const awaiting = options.find((option) => name !== undefined && takesValue(option, joined !== undefined) && flagsOf(option).includes(name));
  if (awaiting?.complete === 'file') return files;
  if (awaiting) {
    const values = starting(joined === undefined ? typed : typed.slice(joined.length + 1), await valuesOf(awaiting, local));
    return joined === undefined || words.at(-1) !== typed ? values : values.map(([value, text]) => [`${joined}=${value}`, text]);
  }
  if (typed.startsWith('-'))
    return starting(
      typed,
      options.map((option) => [`--${option.name}`, option.summary]),
    );
  if (level && level.length > 0) return starting(typed, level);
  const kinds = spec?.arguments?.map(({ complete }) => complete) ?? [];
  return kinds.includes('file') ? files : starting(typed, await localCandidates(kinds[0], local));
}

interface Cursor {
  readonly spec: CommandSpec | undefined;
  /** The last word, if it is an option. */
  readonly before: string | undefined;
  /** Commands that may follow. */
  readonly level: readonly Completion[] | undefined;
}

async function commandOf(groups: readonly GroupEntry[], words: readonly string[]): Promise<Cursor> {
  const before = words.at(-1)?.startsWith('-') ? words.at(-1) : undefined;
  const names = withoutShortcut(
    words.filter((word) => !word.startsWith('-')),
    0,
  );
  const entry = groups.find(({ name }) => names.includes(name));
  if (!entry) return { spec: undefined, before, level: groups.map(({ name, summary }) => [name, summary]) };
  let { spec } = await entry.load();
  for (const name of names.slice(names.indexOf(entry.name) + 1)) {
    const next = spec.commands?.find((one) => isNamed(one, name));
    if (!next) break;
    spec = next;
  }
  return { spec, before, level: spec.commands?.map(({ name, summary }) => [name, summary]) };
}

async function valuesOf({ known, choices = known, complete }: OptionSpec, local: LocalValues): Promise<Completion[]> {
  if (choices) return choices.map((one) => [one, '']);
  return localCandidates(complete, local);
}

async function localCandidates(kind: OptionSpec['complete'], local: LocalValues): Promise<Completion[]> {
  return kind === undefined || kind === 'file' ? [] : (await local(kind)).map((one) => [one, '']);
}

function takesValue({ kind = 'flag', optional }: OptionSpec, isJoined: boolean): boolean {
  return kind !== 'flag' && (optional !== true || isJoined);
}

function flagsOf({ name, short }: OptionSpec): string[] {
  return short === undefined ? [`--${name}`] : [`--${name}`, `-${short}`];
}

function starting(typed: string, list: readonly Completion[]): Completion[] {
  return list.filter(([word]) => word.startsWith(typed));
}

/** bash splits `--output=js` into three words. */
function joinedAtEquals(words: readonly string[]): string[] {
  const joined: string[] = [];
  for (const word of words) {
    const last = joined.at(-1);
    if (last?.startsWith('--') && (word === '=' || last.endsWith('='))) joined[joined.length - 1] = last + word;
    else joined.push(word);
  }
  return joined;
}
