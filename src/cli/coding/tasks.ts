// The tasks of `load`, `unload` and `mcp`, from the definition of a tool and the record.
import { version } from 'modelsvc';
import { CliError, exitCodes, usageError } from '../errors/exit.ts';
import type { CredentialSource } from '../hosts.ts';
import { checkBinding, checkedRoot } from '../hosts.ts';
import type { Input } from '../input/input.ts';
import { basisOf } from './basis.ts';
import type { Leaf } from './edits/edit.ts';
import { foundAt } from './installed.ts';
import type { KeyMode, KeySource } from './key-source.ts';
import type { Machine } from './machine.ts';
import { mcpServer, type ServerName, serverNames } from './mcp-servers.ts';
import type { WhenChanged } from './part-edits.ts';
import { originOf } from './plan.ts';
import type { RecordData, RecordEntry } from './record.ts';
import { rivalsIn } from './rivals.ts';
import type { PartTask } from './task.ts';
import type { CodingTool, FileChanges, Wiring } from './tool.ts';
import { toolNamed, wiredTools } from './tools/index.ts';
import { variableOf } from './variables.ts';
import { keySource } from './wiring.ts';

/** The tools that a command names, each once. */
export function namedTools(input: Input): CodingTool[] {
  if (input.args.length === 0) throw usageError('TOOL is missing', 'Run `modelsvc coding tools` for the list.');
  return [...new Set(input.args)].map(toolNamed);
}

/** The tools on this machine whose files are edited. */
export function installedTools(input: Input, machine: Machine): readonly CodingTool[] {
  if (input.args.length > 0) throw usageError('TOOL and --all-installed exclude each other');
  const tools = wiredTools.filter((tool) => foundAt(tool, machine) !== undefined);
  if (tools.length === 0)
    throw new CliError('no tool that can be wired is on this machine', exitCodes.notFound, 'Run `modelsvc coding tools` for the list.');
  return tools;
}

/** Throws if a tool is not on this machine. No program would read its file, and the file would count as a trace of the tool. */
export function checkInstalled(tool: CodingTool, machine: Machine): void {
  if (foundAt(tool, machine) !== undefined) return;
  const { name, program, traces } = tool;
  const signs = [...(program === undefined ? [] : [`no program ${program} on the PATH`]), ...traces(machine).map((path) => `no ${path}`)];
  throw new CliError(
    `${name} is not on this machine: ${signs.join(', ')}`,
    exitCodes.notFound,
    'No file was changed. Install it, and start it once.',
  );
}

/** Sets the values of a tool, and takes back the values of an earlier load in files that are not needed any more. */
export function loadTasks(tool: CodingTool, wiring: Wiring, credential: CredentialSource, machine: Machine, data: RecordData): PartTask[] {
  if (!tool.load)
    throw new CliError(
      `${tool.name} keeps its settings out of reach`,
      exitCodes.usage,
      `Run \`modelsvc coding guide ${tool.id}\` for the steps by hand.`,
    );
  const files = tool.load(wiring, machine);
  const { root, model, smallModel, key } = wiring;
  const rivals = tool.rivals?.({ machine, root, model, smallModel, keyMode: key.mode }) ?? [];
  const facts = { ...basisOf(credential, key, root), keyMode: key.mode, model, smallModel, version };
  const stale = entriesOf(data, tool.id, 'load').filter((entry) => !files.some(({ file }) => file === entry.file));
  return [
    ...stale.map((entry) => takeBackTask(entry)),
    ...files.map((file) => ({
      ...withKeys(file, tool, key),
      tool: tool.id,
      part: 'load',
      facts,
      rivals: (content: unknown) => rivalsIn(content, rivals, file.file),
    })),
  ];
}

/** Marks the changes whose value contains the key. */
function withKeys(file: FileChanges, { keyText }: CodingTool, key: KeySource): FileChanges {
  if (key.mode !== 'plain') return file;
  const text = keyText?.(key) ?? key.apiKey;
  const contains = (value: Leaf): boolean => [value].flat().some((one) => typeof one === 'string' && one.includes(text));
  return { ...file, changes: file.changes.map((change) => (contains(change.value) ? { ...change, hasKey: true } : change)) };
}

export function takeBackTask(entry: RecordEntry, whenChanged: WhenChanged = 'leave'): PartTask {
  const { tool, part, file, format, hasLock = false } = entry;
  return { tool, part, file, format, hasLock, changes: [], whenChanged, facts: entry };
}

export function entriesOf(data: RecordData, tool: string, part?: string): RecordEntry[] {
  return data.entries.filter((entry) => entry.tool === tool && (part === undefined || entry.part === part));
}

/** The fate of values that another program has changed, from the options --force and --forget. */
export function whenChanged(input: Input): WhenChanged {
  if (input.flag('force') && input.flag('forget')) throw usageError('--force and --forget exclude each other');
  if (input.flag('force')) return 'restore';
  return input.flag('forget') ? 'forget' : 'leave';
}

export interface McpChoice {
  readonly names: readonly string[];
  readonly keyMode?: KeyMode | undefined;
  readonly isLatest: boolean;
}

/** Adds MCP servers to a tool. */
export function mcpTasks(tool: CodingTool, credential: CredentialSource, machine: Machine, { names, keyMode, isLatest }: McpChoice): PartTask[] {
  const { mcp, mcpKeyModes, name } = tool;
  if (!mcp || !mcpKeyModes)
    throw new CliError(`${name} takes no MCP servers from this program`, exitCodes.usage, 'Run `modelsvc coding mcp list` for the tools that do.');
  const { region, baseUrl: given } = credential;
  const origin = given === undefined ? originOf(region) : checkedRoot('--base-url', given).origin;
  if (credential.account !== undefined) checkBinding(credential.account, credential.hosts ?? [], origin);
  return chosenServers(names).map((server) => {
    const part = `mcp:${server}`;
    const key = keySource({ name: `An MCP server of ${name}`, keyModes: mcpKeyModes }, variableOf(tool, part), credential, {
      root: origin,
      asked: keyMode,
    });
    const changes: FileChanges = mcp(mcpServer(server, key, { region, origin, platform: machine.platform, isLatest }), machine);
    return {
      ...withKeys(changes, tool, key),
      tool: tool.id,
      part,
      facts: { ...basisOf(credential, key, origin), keyMode: key.mode, version },
    };
  });
}

export function chosenServers(names: readonly string[]): readonly ServerName[] {
  return names.length === 0 ? serverNames : serverNames.filter((name) => names.includes(name));
}
