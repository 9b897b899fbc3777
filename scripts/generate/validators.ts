import type { AnySchemaObject } from 'ajv/dist/2020.js';
import standalone from 'ajv/dist/standalone/index.js';
import { ajvOf, definitions } from './ajv.ts';
import { compact } from './compact/compact.ts';
import { shareSchemas } from './compact/share.ts';
import type { Operation } from './operations.ts';
import { banner, type Json, type JsonObject, type Source, SpecError } from './source.ts';

/** What an operation has rules for, with the schema of each. */
function ruledParts(operation: Operation): [part: 'body' | 'parameters', schema: JsonObject][] {
  const parts: [part: 'body' | 'parameters', schema: JsonObject][] = [];
  if (operation.body) parts.push(['body', operation.body.schema]);
  if (operation.parameters.some((one) => one.in !== 'header')) parts.push(['parameters', parametersSchema(operation)]);
  return parts;
}

export function hasRules(operation: Operation): boolean {
  return ruledParts(operation).length > 0;
}

/** Where the rules of an operation stand, seen from `src/generated`. */
export function rulesFile(operation: Operation): string {
  return `validators/${operation.group}.ts`;
}

/** The ahead-of-time validators of some operations as ajv writes them, each under `<operation>_<part>`. */
export function ajvCode(source: Source, operations: readonly Operation[]): string {
  const { defs, roots } = schemasOf(source, operations);
  return standaloneCode(shareSchemas(defs, [...new Set(roots.values())]), roots);
}

/** The schemas that the rules of some operations consist of, and the definition of each rule. */
export function schemasOf(source: Source, operations: readonly Operation[]): { defs: JsonObject; roots: Map<string, string> } {
  const roots = new Map<string, string>();
  const extra: JsonObject = {};
  for (const operation of operations)
    for (const [part, schema] of ruledParts(operation)) {
      const name = `${operation.constant}_${part}`;
      const ref = schema['$ref'];
      if (typeof ref !== 'string') extra[name] = schema;
      roots.set(name, typeof ref === 'string' ? ref.replace('#/components/schemas/', '') : name);
    }
  return { defs: definitions(source.value, extra), roots };
}

function standaloneCode(defs: JsonObject, roots: ReadonlyMap<string, string>): string {
  // CommonJS under both loaders: the function is the module or its default.
  const make = (standalone as unknown as { default?: typeof standalone }).default ?? standalone;
  const entries = Object.fromEntries([...roots].map(([name, definition]) => [name, `spec#/$defs/${definition}`]));
  return (make as unknown as (ajv: unknown, refs: Record<string, string>) => string)(ajvOf(defs, { source: true }), entries);
}

/** One file per service group, which is loaded at the group's first call: plain code, no `new Function` at run time. */
export function validatorFiles(source: Source, operations: readonly Operation[]): [string, string][] {
  const groups = new Map<string, Operation[]>();
  for (const operation of operations.filter(hasRules)) groups.set(rulesFile(operation), [...(groups.get(rulesFile(operation)) ?? []), operation]);
  return [...groups].map(([file, members]) => [file, validatorFile(source, members)]);
}

function validatorFile(source: Source, operations: readonly Operation[]): string {
  const code = ajvCode(source, operations);
  const needed = /require\("(?!ajv\/dist\/runtime\/ucs2length")([^"]+)"\)/.exec(code);
  if (needed) throw new SpecError(`${source.file}: a keyword needs ${needed[1]} at run time; the validators must stand alone`);
  const { functions, words, entries } = compact(code);
  const rules = operations.map((operation) => {
    const parts = ruledParts(operation).map(([part]) => `${part}: ${entries.get(`${operation.constant}_${part}`)}`);
    return `export const ${operation.constant}: Rules = { ${parts.join(', ')} };\n`;
  });
  const imports = `import { ${[...words, 'type Rules', 'type Violation'].join(', ')} } from '../../overlay/checks.ts';\n`;
  return `${banner}${imports}\n${functions}\n${rules.join('')}`;
}

function parametersSchema(operation: Operation): AnySchemaObject & JsonObject {
  const fields = operation.parameters.filter((one) => one.in !== 'header');
  const properties: { [name: string]: Json } = {};
  for (const one of fields) properties[one.name] = one.schema;
  return { type: 'object', properties, required: fields.filter((one) => one.required).map((one) => one.name) };
}
