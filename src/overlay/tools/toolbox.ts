import { isError } from '../errors/guards.ts';
import { cut } from '../json/cut.ts';
import { isObject } from '../json/json-value.ts';
import { Problem } from '../json/problem.ts';
import { type AnswerCall, canBeTool } from '../surfaces/answer.ts';
import { noOutput } from '../surfaces/blank-text.ts';
import type { DeclaredTool, ToolResult } from './surface.ts';
import { describesObject, type PreparedCall, type ToolCallContext, type TypedTool } from './typed-tool.ts';

/**
 * Runs a tool by its name. Both strings are as the model sent them, with `{}` for no arguments. The model receives the returned text, or
 * `error: <message>` if the executor throws, returns an Error or returns undefined.
 */
export type ToolExecutor = (name: string, argumentsText: string, call: ToolCallContext) => string | Promise<string>;

/** The tools of a run: an executor, or typed tools. */
export interface Toolbox {
  /** Empty for an executor, because the request declares its tools. */
  readonly tools: readonly TypedTool[];
  /** The names of the tools, also of those that an executor runs. */
  readonly names: ReadonlySet<string>;
  prepare(call: AnswerCall): Promise<PreparedCall>;
}

/** Validates the tools of a run before the first request. */
export function toolbox(given: ToolExecutor | readonly TypedTool[], declared: readonly DeclaredTool[], others: number): Toolbox {
  const places = new Map<string, string>();
  for (const { name, path, schema } of declared) {
    takeName(places, name, path);
    if (isObject(schema) && !describesObject(schema as Record<string, unknown>)) throw new Problem(path, 'has a schema whose root is not an object');
  }
  const isList = Array.isArray(given);
  if (!isList && typeof given !== 'function') throw new Problem('the executor', 'must be a function or list of tools');
  // A list may be empty together with a tool that the service runs.
  if (others + (isList ? given : declared).length === 0) throw new Problem('tools', 'must not be empty');
  if (isList) return typedToolbox(given, declared);
  const run = given as ToolExecutor;
  const names = new Set(places.keys());
  return { tools: [], names, prepare: async ({ name, arguments: text }) => ({ input: text, run: (call) => executed(run, name, text, call) }) };
}

/** Throws if an earlier tool has the name. */
function takeName(places: Map<string, string>, name: string, place: string): void {
  const earlier = places.get(name);
  if (earlier !== undefined) throw new Problem(`${place}.name`, `${quoted(name)} is already used by ${earlier}; give each tool its own name`);
  places.set(name, place);
}

/** Throws if the executor returns undefined: it usually lacks a branch for the tool, or a `return`. */
async function executed(executor: ToolExecutor, name: string, text: string, call: ToolCallContext): Promise<unknown> {
  const result: unknown = await executor(name, text, call);
  if (result === undefined) throw new Error(`the executor returned no result for the tool ${name}`);
  return result;
}

function typedToolbox(given: readonly TypedTool[], declared: readonly DeclaredTool[]): Toolbox {
  // A Map, because the model may request a tool named `__proto__`.
  const byName = new Map<string, TypedTool>();
  const places = new Map<string, string>();
  for (const [index, tool] of given.entries()) {
    if (typeof tool?.prepare !== 'function') throw new Problem(`tools[${index}]`, 'must be made by defineTool');
    takeName(places, tool.name, `tools[${index}]`);
    byName.set(tool.name, tool);
  }
  for (const { name, path } of declared)
    throw new Problem(path, byName.has(name) ? 'is among the typed tools: leave it out of the request' : 'has no typed tool to run it');
  const names = new Set(byName.keys());
  return { tools: given, names, prepare: async (call) => byName.get(call.name)?.prepare(call) ?? { problem: noTool(call.name, names) } };
}

function noTool(name: string, names: ReadonlySet<string>): string {
  return `there is no tool named ${canBeTool(name, names) ? name : quoted(name)}; the tools are: ${[...names].join(', ')}`;
}

/** A result with the name that the model wrote: in the history another replaces one that no tool can have. */
export function withName({ text, isError }: ToolResult, name: string, { names }: Toolbox): ToolResult {
  const isTold = canBeTool(name, names) || text.includes(quoted(name)) || (name.trim() !== '' && text.includes(name));
  return { text: isTold ? text : `${text}\n(the call was of ${quoted(name)}, and no tool has this name)`, isError };
}

function quoted(name: string): string {
  return `"${cut(name, 200)}"`;
}

/** The return value of a tool as text for the model. Throws a returned error, and for a value whose content JSON would drop. */
export function resultText(value: unknown): string {
  if (isError(value)) throw value;
  if (typeof value === 'string') return value.trim() === '' ? noOutput : value;
  if (typeof value === 'function' || typeof value === 'symbol') throw unwritable(`a ${typeof value}`);
  return JSON.stringify(value, written) ?? 'null';
}

const plainKinds: ReadonlySet<string> = new Set(['Object', 'String', 'Number', 'Boolean']);

function written(_name: string, value: unknown): unknown {
  if (!isObject(value) || Array.isArray(value)) return value;
  if ('pipe' in value || 'getReader' in value) throw unwritable('a stream');
  const kind = Object.prototype.toString.call(value).slice('[object '.length, -1);
  // Such as a Map: JSON has none of its content.
  if (!plainKinds.has(kind) && Object.keys(value).length === 0) throw unwritable(`${/^[AEIO]/.test(kind) ? 'an' : 'a'} ${kind}`);
  return value;
}

function unwritable(kind: string): Error {
  return new Error(`the tool returned ${kind}; return an object or a text`);
}

export function failure(words: string): ToolResult {
  return { text: `error: ${words}`, isError: true };
}
