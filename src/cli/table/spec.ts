// The shape of the command table: pure data that drives the parser, help, completion, `help --json` and docs/cli-reference.md.

/** How the text of an option becomes its value. `list` may be repeated. Durations are `500ms`, `30s`, `5m`, `2h`, or seconds. */
export type OptionKind = 'flag' | 'text' | 'integer' | 'number' | 'duration' | 'list';

export interface OptionSpec {
  /** Long name without dashes, for instance `max-tokens`. A name such as `no-stream` turns something off. */
  readonly name: string;
  /** One letter. */
  readonly short?: string;
  /** Default: `flag`. */
  readonly kind?: OptionKind;
  /** Name of the value in help, for instance `ID`. Needed for every kind but `flag`. */
  readonly value?: string;
  /** Without a value, also of the configuration, the command is refused. */
  readonly required?: boolean;
  /** The value may be left out; it is then `''`. */
  readonly optional?: boolean;
  readonly choices?: readonly string[];
  /** Values that are known; others pass. */
  readonly known?: readonly string[];
  /** A switch that sends false. */
  readonly off?: boolean;
  /** An option that no default sets together with this one. */
  readonly excludes?: string;
  readonly summary: string;
  /** The default, as text of help. */
  readonly default?: string;
  /** Field of a request, which `Input.fields` fills with the value, or of the Config. Errors of the library that name it name the option. */
  readonly field?: string;
  /** Values that shells complete from local data. */
  readonly complete?: 'file' | 'account' | 'model' | 'tool' | 'setting' | 'template';
}

export interface ArgumentSpec {
  /** Upper case in help, for instance `PROMPT`. */
  readonly name: string;
  readonly summary: string;
  /** As in an option. */
  readonly default?: string;
  /** Default: optional. */
  readonly required?: boolean;
  /** Takes all remaining arguments. */
  readonly variadic?: boolean;
  /** As in an option. */
  readonly field?: string;
  readonly complete?: OptionSpec['complete'];
}

/** A command line and its purpose. */
export type Example = readonly [line: string, purpose: string];

/** `Code` is the type of a command's code, which the table loads but never calls. */
export interface CommandSpec<Code = unknown> {
  readonly name: string;
  readonly aliases?: readonly string[];
  /** One sentence without a full stop. */
  readonly summary: string;
  /** Further paragraphs of help. */
  readonly details?: string;
  /** Rules, each under a heading after the options. */
  readonly rules?: readonly (readonly [heading: string, text: string])[];
  readonly arguments?: readonly ArgumentSpec[];
  readonly options?: readonly OptionSpec[];
  /** Without the name of the program. At least one for each command. */
  readonly examples: readonly Example[];
  /** Loads the code. A group without one prints its help. */
  readonly load?: () => Promise<Code>;
  readonly commands?: readonly CommandSpec<Code>[];
}

/** A group in the list of all, which is loaded only if it is called. */
export interface GroupEntry<Code = unknown> {
  readonly name: string;
  readonly summary: string;
  /** True if it works on this machine only: `--dry-run` is refused, because there is no request to print. */
  readonly isLocal?: boolean;
  /** True if it changes files of other programs: `--dry-run` shows these changes. */
  readonly previews?: boolean;
  /** The command that the group alone means. Default: its help. */
  readonly alone?: string;
  /** True for another name of a command with an option. Only the whole help lists it. */
  readonly isShortcut?: boolean;
  load(): Promise<{ readonly spec: CommandSpec<Code> }>;
}

export interface Section<Code = unknown> {
  readonly title: string;
  readonly groups: readonly GroupEntry<Code>[];
}

/** True if a word calls a command, by its name or by an alias. */
export function isNamed({ name, aliases }: Pick<CommandSpec, 'name' | 'aliases'>, word: string): boolean {
  return name === word || aliases?.includes(word) === true;
}

export function groupsOf<Code>(sections: readonly Section<Code>[]): readonly GroupEntry<Code>[] {
  return sections.flatMap(({ groups }) => groups);
}

/** The complete table. */
export function loadAll<Code>(sections: readonly Section<Code>[]): Promise<readonly CommandSpec<Code>[]> {
  return Promise.all(groupsOf(sections).map(async (group) => (await group.load()).spec));
}
