// A coding tool as data: its files, the values that wire it to the service, and what can override them.
import type { Leaf, Path } from './edits/edit.ts';
import type { KeyMode, KeySource } from './key-source.ts';
import type { Machine } from './machine.ts';
import type { McpServer } from './mcp-servers.ts';

export type FileFormat = 'json' | 'jsonc' | 'toml' | 'yaml';

/** Protocol that a tool speaks to the service. */
export type Protocol = 'anthropic' | 'chat' | 'responses';

/** The target of a tool. */
export interface Wiring {
  /** Root of the tool's surface. */
  readonly root: string;
  readonly key: KeySource;
  readonly model: string;
  /** Model for small tasks such as titles. */
  readonly smallModel: string;
  /** Largest context and answer of the model, in tokens. */
  readonly contextTokens: number;
  readonly outputTokens: number;
  /** Also make the service the default of a tool that can keep it in addition to others. */
  readonly isDefault: boolean;
  /** The root is the coding plan's. */
  readonly isPlan: boolean;
  readonly region: 'global' | 'china';
}

/** One value of a file. */
export interface Change {
  readonly path: Path;
  readonly value: Leaf;
  /** The tool replaces the value while it runs, so any value at its path is taken back. */
  readonly isStamp?: boolean;
  /** The value contains the API key. */
  readonly hasKey?: boolean;
  /** A value of the user at this path stays. */
  readonly isDefault?: boolean;
}

/** The changes of one file. */
export interface FileChanges {
  readonly file: string;
  readonly format: FileFormat;
  readonly changes: readonly Change[];
  /** The tool takes a lock next to the file, `FILE.lock`, while it writes. */
  readonly hasLock?: boolean;
}

/** A process that uses the service without a file. `keyPlaceholder` in a variable is replaced by the API key. */
export interface Session {
  readonly args: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
  /** Variables that must not reach the tool: they would send another key to the service. */
  readonly unset?: readonly string[];
  /** Where the key goes, as far as it is known. */
  readonly root?: string | undefined;
}

/** The API key, in the variables of a Session. */
export const keyPlaceholder = '\u0000KEY\u0000';

/** The ids of a wiring's models, each once. */
export function modelIds({ model, smallModel }: Pick<Wiring, 'model' | 'smallModel'>): readonly string[] {
  return [...new Set([model, smallModel])];
}

/** A setting that comes before the wiring. It is in a variable of the shell, in other files, or in the files that `load` writes. */
export interface Rival {
  readonly variable?: string;
  /** Other files, the first wins. Those after a wired file are not read. */
  readonly files?: readonly string[];
  /** Format of the files. `env`: a list of variables, `words`: the first words of lines, both as keys. Default: the format of the file that `load` writes. */
  readonly format?: FileFormat | 'env' | 'words';
  /** Way to the setting; `*` is any key. Default in other files: the paths of the wiring, and of the rivals in the files of `load`. */
  readonly path?: Path;
  /** End of the path of the wired file that has the setting. Default: each. */
  readonly in?: string;
  /** The value that `load` sets instead, until `unload`. Without one, the setting stays, and is named. */
  readonly value?: Leaf | ((now: unknown) => Leaf);
  /** Default: any value. */
  readonly when?: (now: unknown, at: Path, content: unknown) => boolean;
  /** The consequence, as a clause: `it chooses the model`. */
  readonly effect: string;
  /** Only a part of the tool is concerned, as its user may intend. */
  readonly isPartial?: boolean;
}

/** The target of the wiring, for the values of rivals. */
export interface Aim {
  readonly machine: Machine;
  readonly root: string;
  readonly model: string;
  readonly smallModel: string;
  readonly keyMode: KeyMode;
}

export type Rivals = (aim: Aim) => readonly Rival[];

export interface CodingTool {
  readonly id: string;
  readonly name: string;
  /** On the vendor's list of tools that may use the coding plan; see `plan.ts` for the date. */
  readonly isListed: boolean;
  /** Name of the program on the PATH. Undefined for a tool without one. */
  readonly program?: string;
  readonly surface: Protocol;
  /** Ways to pass the key, the default first. */
  readonly keyModes: readonly KeyMode[];
  /** Variables from which its parts, `load` and `mcp:SERVER`, read the key in mode `env`. Default: SVC_API_KEY. */
  readonly keyVariables?: Readonly<Record<string, string>>;
  /** The text in the file of the tool that shows which key it uses. Default: the line of the command, or the key itself. */
  readonly keyText?: (key: KeySource) => string;
  /** Files that show that the tool is used here, for a tool without a program on the PATH. */
  traces(machine: Machine): readonly string[];
  /** The values that wire the tool. Undefined if the tool keeps its settings out of reach. */
  readonly load?: (wiring: Wiring, machine: Machine) => readonly FileChanges[];
  /** The values that add an MCP server, whose key is passed in one of `mcpKeyModes`. */
  readonly mcp?: (server: McpServer, machine: Machine) => FileChanges;
  readonly mcpKeyModes?: readonly KeyMode[];
  /** Arguments and variables of a process that uses the service; undefined if they cannot set this root. */
  readonly session?: (wiring: Wiring, machine: Machine) => Session | undefined;
  /** Variables for a shell that do the same without arguments, for `coding env`. */
  readonly shell?: (wiring: Wiring) => Pick<Session, 'variables' | 'unset'>;
  /** Settings that come before the values of `load`, in the order of precedence. */
  readonly rivals?: Rivals;
  /** Sentences printed after `load`: how to start the tool with the service. */
  readonly after?: (wiring: Wiring) => readonly string[];
  /** Steps by hand, for `coding guide`. */
  readonly guide?: (wiring: Pick<Wiring, 'root' | 'model' | 'smallModel'>) => readonly string[];
}

/** An object as changes, one for each leaf. Undefined values are left out. */
export function leaves(path: Path, object: Readonly<Record<string, unknown>>): Change[] {
  return Object.entries(object).flatMap(([key, value]) => {
    if (value === undefined) return [];
    const here = [...path, key];
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? leaves(here, value as Readonly<Record<string, unknown>>)
      : [{ path: here, value: value as Leaf }];
  });
}
