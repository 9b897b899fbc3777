// Tools that --tool declares.
import { usageError } from '../errors/exit.ts';
import { jsonValue } from '../files/json.ts';
import { readText } from '../files/text.ts';

export interface GivenTool {
  readonly name: string;
  readonly description: string;
  readonly schema: Readonly<Record<string, unknown>>;
}

/** Reads tools from JSON, or from files of JSON if the names were typed: one tool or a list, in the form of any surface. */
export async function toolsOf(files: readonly string[], isTyped: boolean): Promise<GivenTool[]> {
  const lists = await Promise.all(
    files.map(async (file) => {
      const value = await jsonOf(file, isTyped);
      return (Array.isArray(value) ? value : [value]).map((one: unknown) => toolOf(file, one));
    }),
  );
  return lists.flat();
}

const toolForm = 'Write {"name": …, "description": …, "parameters": {…}}.';

/** `{ type: 'function', function: { name, description, parameters } }`, its inner object, or `{ name, description, input_schema }`. */
function toolOf(file: string, value: unknown): GivenTool {
  const outer = fields(value);
  const inner = outer['type'] === 'function' ? fields(outer['function']) : outer;
  const { name, description = '', parameters, input_schema: schema } = inner;
  if (typeof name !== 'string') throw usageError(`--tool: a tool in ${file} has no name`, toolForm);
  return { name, description: String(description), schema: fields(parameters ?? schema ?? { type: 'object', properties: {} }) };
}

function fields(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

async function jsonOf(file: string, isTyped: boolean): Promise<unknown> {
  const isText = !isTyped || /^\s*[[{]/.test(file);
  const path = file.replace(/^@/, '');
  const value = jsonValue(isText ? file : await readText('--tool', path));
  if (value === undefined) throw usageError(isText ? '--tool is not valid JSON' : `--tool: ${path} is not JSON`, toolForm);
  return value;
}
