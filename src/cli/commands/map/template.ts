// The prompt template of `map`.
import { usageError } from '../../errors/exit.ts';

/** The reason why a row has no prompt. */
export class RowProblem extends Error {}

export interface Template {
  /** The names of its fields. */
  readonly names: readonly string[];
  /** The fields of the template that a row lacks, and those that the row has. A row that is not a JSON object has `line` alone. */
  fit(line: string): { readonly missing: readonly string[]; readonly fields: readonly string[] };
  /** The prompt of a row. Throws a RowProblem if the row lacks a field. */
  render(line: string): string;
}

/** Parses a template: `{line}`, `{field}`, `{field.inner}`, and `{{`, `}}` for braces. */
export function templateOf(text: string): Template {
  // Texts and names of fields alternate: odd places are names.
  const parts: string[] = [''];
  for (const [piece, name] of text.matchAll(/\{\{|\}\}|\{([\p{L}_$][\p{L}\p{N}_$. -]*)\}|[^{}]+|[{}]/gu)) {
    if (name !== undefined) parts.push(name, '');
    else if (piece === '{' || piece === '}')
      throw usageError(`TEMPLATE has a ${piece} that is not part of a field`, 'Write {{ and }} for braces, and {line} or {name} for a field.');
    else parts[parts.length - 1] += piece === '{{' ? '{' : piece === '}}' ? '}' : piece;
  }
  const names = parts.filter((_, at) => at % 2 === 1);
  if (names.length === 0) throw usageError('TEMPLATE has no field', 'Write {line} where the line belongs, or {name} for a field of JSONL rows.');
  const isJson = names.some((name) => name !== 'line');
  const rowIn = (line: string): object => (isJson ? rowOf(line) : {});
  return {
    names,
    fit: (line) => {
      try {
        const row = rowIn(line.replace(/^\ufeff/, ''));
        return { missing: names.filter((name) => name !== 'line' && !hasField(row, name)), fields: ['line', ...Object.keys(row)] };
      } catch {
        return { missing: names.filter((name) => name !== 'line'), fields: ['line'] };
      }
    },
    render: (line) => {
      const row = rowIn(line);
      return parts.map((part, at) => (at % 2 === 0 ? part : part === 'line' && !Object.hasOwn(row, 'line') ? line : fieldText(row, part))).join('');
    },
  };
}

function rowOf(line: string): object {
  let row: unknown;
  try {
    row = JSON.parse(line);
  } catch {
    throw new RowProblem('the row is not JSON');
  }
  if (typeof row !== 'object' || row === null || Array.isArray(row)) throw new RowProblem('the row is not a JSON object');
  return row;
}

function hasField(row: object, name: string): boolean {
  try {
    fieldText(row, name);
    return true;
  } catch {
    return false;
  }
}

/** A field by its name, or by a path. Values other than text are written as JSON. */
function fieldText(row: object, name: string): string {
  const path = Object.hasOwn(row, name) ? [name] : name.split('.');
  let value: unknown = row;
  for (const step of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) throw new RowProblem(`the row has no field ${name}`);
    value = (value as Readonly<Record<string, unknown>>)[step];
  }
  return typeof value === 'string' ? value : JSON.stringify(value);
}
