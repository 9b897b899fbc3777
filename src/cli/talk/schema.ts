// The schema of --schema: JSON, or the short form `name, age int, tags: list of words`.
import { usageError } from '../errors/exit.ts';

export type Schema = Readonly<Record<string, unknown>>;

const types: Readonly<Record<string, string>> = {
  str: 'string',
  string: 'string',
  int: 'integer',
  float: 'number',
  number: 'number',
  bool: 'boolean',
};

/** JSON Schema from its JSON text or the short form: fields separated by commas or lines, each `name`, `name type` or `name type: description`. */
export function schemaOf(text: string): Schema {
  const trimmed = text.trim();
  if (!trimmed.startsWith('{')) return shortSchema(trimmed);
  let value: unknown;
  try {
    value = JSON.parse(trimmed);
  } catch {
    throw usageError('--schema is not valid JSON', "Pass a JSON Schema, @FILE, or fields such as 'name, age int'.");
  }
  return value as Schema;
}

function shortSchema(text: string): Schema {
  // With line feeds, descriptions may contain commas.
  const fields = text
    .split(text.includes('\n') ? '\n' : ',')
    .map((field) => field.trim())
    .filter((field) => field !== '');
  if (fields.length === 0) throw usageError('--schema is empty', "Pass a JSON Schema, @FILE, or fields such as 'name, age int'.");
  const properties: Record<string, object> = Object.create(null) as Record<string, object>;
  for (const field of fields) {
    const [, name = '', type = 'str', description] = /^([\p{L}_][\p{L}\p{N}_-]*)(?:\s+(\w+))?(?:\s*:\s*(.+))?$/u.exec(field) ?? [];
    const found = Object.hasOwn(types, type) ? types[type] : undefined;
    if (name === '')
      throw usageError(`--schema: ${JSON.stringify(field)} is not a field`, "Write fields as 'name', 'age int' or 'age int: in years'.");
    if (found === undefined) throw usageError(`--schema: ${type} is not a type; use str, int, float or bool`);
    properties[name] = { type: found, ...(description !== undefined && { description }) };
  }
  return { type: 'object', properties, required: Object.keys(properties) };
}
