// The arguments and options of one call of a command, already converted by their kind.
import { usageError } from '../errors/exit.ts';
import { readText } from '../files/text.ts';
import { globalOptions } from '../table/global-options.ts';
import { meantHint } from '../table/near-miss.ts';
import { type Origins, originIn } from '../table/origin.ts';
import type { ArgumentSpec, CommandSpec, OptionSpec } from '../table/spec.ts';

/** A file that a command may read, and the argument or option that names it. */
export interface InputFile {
  readonly name: string;
  readonly path: string;
}

export type OptionValue = string | number | boolean | readonly string[] | undefined;

/** Gives handlers the values by name and kind. A name that is not in the table throws, so any test of the command finds a slip. */
export class Input {
  readonly args: readonly string[];
  readonly #spec: CommandSpec;
  readonly #values: Readonly<Record<string, OptionValue>>;
  readonly #texts: ReadonlyMap<string, string>;

  /** `texts` contains the values of options as they were typed, global options included. */
  constructor(spec: CommandSpec, args: readonly string[], values: Readonly<Record<string, OptionValue>>, texts: ReadonlyMap<string, string>) {
    this.#spec = spec;
    this.args = args;
    this.#values = values;
    this.#texts = texts;
  }

  /** The option or argument that sets a field of a request or of the Config. */
  readonly originOf: Origins = (field) => originIn(this.#spec, field, this.#texts);

  /** A required argument, by its position. */
  arg(index: number): string {
    const value = this.args[index];
    if (value === undefined) throw usageError(`${this.#spec.arguments?.[index]?.name ?? 'argument'} is missing`);
    return value;
  }

  text(name: string): string | undefined {
    return this.#value(name, 'text') as string | undefined;
  }

  flag(name: string): boolean {
    return this.#value(name, 'flag') === true;
  }

  /** An integer, a number or a duration in milliseconds. */
  number(name: string): number | undefined {
    return this.#value(name, 'integer', 'number', 'duration') as number | undefined;
  }

  list(name: string): readonly string[] {
    return (this.#value(name, 'list') as readonly string[] | undefined) ?? [];
  }

  /** The fields of a request that options set. Options that are not given are left out. */
  get fields(): Readonly<Record<string, OptionValue>> {
    const { options = [] } = this.#spec;
    const given = options.filter(({ name, field }) => field !== undefined && this.#values[name] !== undefined && this.#values[name] !== false);
    return Object.fromEntries(given.map(({ name, field }) => [field, this.#values[name]]));
  }

  /** The files that arguments and options name: each `@FILE`, and the values that shells complete as files. Without `-O`. */
  get files(): readonly InputFile[] {
    const { arguments: places = [], options = [] } = this.#spec;
    return [
      ...this.args.flatMap((value, at) => fileIn(places[at] ?? places.at(-1), value)),
      ...options.filter(({ name }) => name !== 'out').flatMap((option) => [this.#values[option.name]].flat().flatMap((one) => fileIn(option, one))),
      ...globalOptions.flatMap((option) => fileIn(option, this.#texts.get(option.name))),
    ];
  }

  #value(name: string, ...kinds: readonly string[]): OptionValue {
    const option = this.#spec.options?.find((one) => one.name === name);
    if (!option || !kinds.includes(option.kind ?? 'flag'))
      throw new TypeError(`${this.#spec.name} has no option ${name} of kind ${kinds.join(' or ')}`);
    return this.#values[name];
  }
}

function fileIn(place: OptionSpec | ArgumentSpec | undefined, value: OptionValue): InputFile[] {
  if (!place || typeof value !== 'string') return [];
  const name = 'value' in place ? `--${place.name}` : place.name;
  if (value.startsWith('@')) return [{ name, path: value.slice(1) }];
  return place.complete === 'file' ? [{ name, path: value }] : [];
}

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Converts the text of an option by its kind. Throws a CliError that names the option. */
export function optionValue(option: OptionSpec, text: string): string | number {
  const place = `--${option.name}`;
  if (option.choices && !(option.optional && text === '') && !option.choices.includes(text))
    throw usageError(`${place} must be ${listed(option.choices)}, not ${JSON.stringify(text)}${meantHint(text, option.choices)}`);
  if (option.kind === 'integer') {
    if (!/^\d{1,15}$/.test(text)) throw usageError(`${place} must be an integer of 0 or more, not ${JSON.stringify(text)}`);
    return Number(text);
  }
  if (option.kind === 'number') {
    const value = text.trim() === '' ? Number.NaN : Number(text);
    if (!Number.isFinite(value)) throw usageError(`${place} must be a number, not ${JSON.stringify(text)}`);
    return value;
  }
  if (option.kind === 'duration') {
    const [, amount = '', unit = 's'] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)?$/.exec(text) ?? [];
    if (amount === '') throw usageError(`${place} must be a duration such as 500ms, 30s, 5m or 2h, not ${JSON.stringify(text)}`);
    return Number(amount) * (units[unit] as number);
  }
  return text;
}

function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}

/** The text of an option or argument: `@FILE` reads a file, `@-` stdin, other values are the text. `\@` begins a text with an at sign. */
export async function textOrFile(place: string, value: string, stdin: () => Promise<string>): Promise<string> {
  if (value.startsWith('\\@')) return value.slice(1);
  if (!value.startsWith('@')) return value;
  return value === '@-' ? stdin() : readText(place, value.slice(1));
}
