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

/** Values for options that are not given. */
interface Defaults {
  readonly values: Readonly<Record<string, OptionValue>>;
  /** Names them in errors, for instance `the setting`. */
  readonly place: string;
  /** The step after a value that is refused. */
  readonly cure?: (name: string) => string;
}

/** Gives handlers the values by name and kind. A name that is not in the table throws, so any test of the command finds a slip. */
export class Input {
  /** The words as they were typed. */
  readonly args: readonly string[];
  /** Text before the arguments, from a template. It names no file, whatever it begins with. */
  readonly lead: string | undefined;
  readonly #spec: CommandSpec;
  readonly #given: Readonly<Record<string, OptionValue>>;
  readonly #texts: ReadonlyMap<string, string>;
  readonly #defaults: readonly Defaults[];
  readonly #values: Readonly<Record<string, OptionValue>>;
  /** The layer of each value that is a default. */
  readonly #places = new Map<string, Defaults>();

  /** `texts` contains the values of options as they were typed, global options included. The first of `defaults` that has a value counts. */
  constructor(
    spec: CommandSpec,
    args: readonly string[],
    given: Readonly<Record<string, OptionValue>>,
    texts: ReadonlyMap<string, string>,
    defaults: readonly Defaults[] = [],
    lead?: string,
  ) {
    this.#spec = spec;
    this.args = args;
    this.lead = lead;
    this.#given = given;
    this.#texts = texts;
    this.#defaults = defaults;
    const values = { ...given };
    for (const defaultsOfPlace of defaults) {
      const { values: layer } = defaultsOfPlace;
      const isSet = (name: string | undefined): boolean => name !== undefined && values[name] !== undefined && values[name] !== false;
      for (const { name, kind } of (spec.options ?? []).filter((option) => !isSet(option.name) && !isSet(option.excludes))) {
        const value = layer[name];
        if (value === undefined) continue;
        values[name] = kind === undefined || kind === 'flag' ? value === 'on' || value === true : value;
        this.#places.set(name, defaultsOfPlace);
      }
    }
    this.#values = values;
  }

  /** The same input with values for options that have none so far. They come before earlier defaults. */
  withDefaults(defaults: Defaults, lead: string | undefined = this.lead): Input {
    return new Input(this.#spec, this.args, this.#given, this.#texts, [defaults, ...this.#defaults], lead);
  }

  /** The options that were given, by name. */
  get given(): Readonly<Record<string, OptionValue>> {
    return Object.fromEntries(Object.entries(this.#given).filter(([, value]) => value !== undefined && value !== false));
  }

  /** Values from a file, by names of options, checked as if they were typed. Throws a CliError for an option that the command does not have. */
  checked(values: Readonly<Record<string, unknown>>, place: string, except: readonly string[]): Record<string, OptionValue> {
    const options = (this.#spec.options ?? []).filter(({ name }) => !except.includes(name));
    return Object.fromEntries(
      Object.entries(values).map(([name, value]) => {
        const option = options.find((one) => one.name === name);
        if (!option) {
          const names = options.map((one) => one.name);
          throw usageError(`${place} ${this.#spec.name} has no option ${name}${meantHint(name, names)}`);
        }
        const { kind = 'flag' } = option;
        if (kind === 'flag' && typeof value !== 'boolean') throw usageError(`${place} ${name} must be true or false`);
        if (kind === 'list' && !(Array.isArray(value) && value.every((one) => typeof one === 'string')))
          throw usageError(`${place} ${name} must be a list of texts`);
        if (kind === 'flag' || kind === 'list') return [name, value as OptionValue];
        if (typeof value !== 'string' && typeof value !== 'number') throw usageError(`${place} ${name} must be a text or a number`);
        return [name, optionValue(option, String(value), `${place} ${name}`)];
      }),
    );
  }

  /** The option or argument that sets a field of a request or of the Config. */
  readonly originOf: Origins = (field) => {
    const origin = originIn(this.#spec, field, this.#texts);
    const name = origin?.name.slice(2) ?? '';
    const { place, cure } = this.#places.get(name) ?? {};
    return place === undefined ? origin : { name: `${place} ${name}`, cure: cure?.(name) };
  };

  /** A required argument, by its position. */
  arg(index: number): string {
    const value = this.args[index];
    if (value === undefined) throw usageError(`${this.#spec.arguments?.[index]?.name ?? 'argument'} is missing`, 'Pass it as an argument.');
    return value;
  }

  /** Throws a CliError for a required option without a value. */
  checkRequired(): void {
    const missing = this.#spec.options?.find(({ name, required }) => required && this.#values[name] === undefined);
    if (missing) throw usageError(`--${missing.name} is missing`, `Pass --${missing.name} ${missing.value}: ${missing.summary}.`);
  }

  text(name: string): string | undefined {
    return this.#value(name, 'text') as string | undefined;
  }

  /** True if the value of an option was typed. A value of a template or a setting is data, and data is never a name. */
  isTyped(name: string): boolean {
    return !this.#places.has(name);
  }

  /** The text of an option. If it was typed, `@FILE` reads a file and `@-` reads stdin. */
  async wholeText(name: string, stdin: () => Promise<string>): Promise<string | undefined> {
    const value = this.text(name);
    return value === undefined || !this.isTyped(name) ? value : textOrFile(`--${name}`, value, stdin);
  }

  /** True if one of these options reads stdin as its text. */
  readsStdin(...names: readonly string[]): boolean {
    return names.some((name) => this.isTyped(name) && this.text(name) === '@-');
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

  /** The values of a list of NAME=VALUE. */
  pairs(name: string): (readonly [name: string, value: string])[] {
    return this.list(name).map((pair) => {
      const at = pair.indexOf('=');
      if (at < 1) throw usageError(`--${name} must be NAME=VALUE, not ${JSON.stringify(pair)}`);
      return [pair.slice(0, at), pair.slice(at + 1)];
    });
  }

  /** The fields of a request that options set. Options that are not given are left out. */
  get fields(): Readonly<Record<string, OptionValue>> {
    const { options = [] } = this.#spec;
    const given = options.filter(({ name, field }) => field !== undefined && this.#values[name] !== undefined && this.#values[name] !== false);
    return Object.fromEntries(given.map(({ name, field, off }) => [field, off ? false : this.#values[name]]));
  }

  /** The files that arguments and options name: each `@FILE`, and the values that shells complete as files. Without `-O`. */
  get files(): readonly InputFile[] {
    const { arguments: places = [], options = [] } = this.#spec;
    return [
      ...this.args.flatMap((value, at) => fileIn(places[at] ?? places.at(-1), value)),
      ...options.filter(({ name }) => name !== 'out').flatMap((option) => [this.#given[option.name]].flat().flatMap((one) => fileIn(option, one))),
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

/** Longest duration of an option, as in the Config. */
const maxDurationMs = 20 * 24 * 60 * 60 * 1000;
const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Converts the text of an option by its kind. Throws a CliError that names the place. */
export function optionValue(option: OptionSpec, text: string, place: string = `--${option.name}`): string | number {
  if (option.choices && !(option.optional && text === '') && !option.choices.includes(text))
    throw usageError(
      `${place} must be ${listed(option.choices)}, not ${JSON.stringify(text)}${meantHint(text, option.choices)}`,
      option.name === 'output' && /[./]/.test(text)
        ? '-o is the form of the output. To write a file, pass -O FILE where a command has it, or `> FILE`.'
        : undefined,
    );
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
    const ms = Number(amount) * (units[unit] as number);
    // Timers overflow beyond 24.8 days and would fire immediately.
    if (ms > maxDurationMs) throw usageError(`${place} must be a duration from 0 to 20 days, not ${text}`);
    return ms;
  }
  return text;
}

function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}

/** A typed text, resolved once: `@FILE` reads a file, `@-` stdin, other values are the text. `\@` begins a text with an at sign. */
export async function textOrFile(place: string, value: string, stdin: () => Promise<string>): Promise<string> {
  if (value.startsWith('\\@')) return value.slice(1);
  if (!value.startsWith('@')) return value;
  return value === '@-' ? stdin() : readText(place, value.slice(1));
}
