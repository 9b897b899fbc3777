// The variables from which a wired tool reads the key: one list for `load`, `mcp add`, `doctor`, `env` and `run`.
import type { RecordEntry } from './record.ts';
import type { CodingTool } from './tool.ts';

export interface KeyVariable {
  readonly name: string;
  /** The tool reads the key of its model from it. */
  readonly isModel: boolean;
  /** MCP servers that read it. */
  readonly servers: readonly string[];
}

/** Variable from which a part of a tool reads the key in mode `env`: `load`, or `mcp:SERVER`. */
export function variableOf({ keyVariables = {} }: Pick<CodingTool, 'keyVariables'>, part: string): string {
  return keyVariables[part] ?? 'SVC_API_KEY';
}

/** The variables that the parts of a tool read, each once. */
export function variablesOf(tool: CodingTool, entries: readonly Pick<RecordEntry, 'part' | 'keyMode'>[]): KeyVariable[] {
  const parts = [...new Set(entries.filter(({ keyMode }) => keyMode === 'env').map(({ part }) => part))];
  return [...new Set(parts.map((part) => variableOf(tool, part)))].map((name) => {
    const readers = parts.filter((part) => variableOf(tool, part) === name);
    return { name, isModel: readers.includes('load'), servers: readers.filter((part) => part !== 'load').map((part) => part.slice('mcp:'.length)) };
  });
}

/** Who reads the key from a variable, as a clause. `tool` is the subject for the model, `its` begins that for servers. */
export function readerText({ name, isModel, servers }: KeyVariable, tool: string, its: string): string {
  if (isModel) return `${tool} reads its key from ${name}`;
  return servers.length === 1
    ? `${its} MCP server ${servers[0]} reads the key from ${name}`
    : `${its} MCP servers ${servers.join(', ')} read the key from ${name}`;
}

/** The next step for a variable that is not set. */
export function settingText({ id }: CodingTool): string {
  return `\`modelsvc coding env ${id}\` prints the line that sets it`;
}
