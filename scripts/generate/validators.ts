import type { AnySchemaObject } from 'ajv/dist/2020.js';
import standalone from 'ajv/dist/standalone/index.js';
import { ajvWith } from './ajv.ts';
import { compact } from './compact.ts';
import type { Operation } from './operations.ts';
import { banner, type Json, type JsonObject, type Source, SpecError } from './source.ts';

export function bodyValidator(operation: Operation): string | undefined {
  return operation.body && `${operation.constant}Body`;
}

export function parametersValidator(operation: Operation): string | undefined {
  return operation.parameters.some((one) => one.in !== 'header') ? `${operation.constant}Parameters` : undefined;
}

/** Ahead-of-time validators of request bodies and parameters: plain code, no `new Function` at run time. */
export function validatorFiles(source: Source, operations: readonly Operation[]): [string, string][] {
  const entries: Record<string, string> = {};
  const extra: JsonObject = {};
  const add = (name: string | undefined, schema: JsonObject): void => {
    if (name === undefined) return;
    const ref = schema['$ref'];
    if (typeof ref === 'string') entries[name] = ref.replace('#/components/schemas/', 'spec#/$defs/');
    else {
      extra[name] = schema;
      entries[name] = `spec#/$defs/${name}`;
    }
  };
  for (const operation of operations) {
    add(bodyValidator(operation), operation.body?.schema ?? {});
    add(parametersValidator(operation), parametersSchema(operation));
  }
  const ajv = ajvWith(source.value, extra, { source: true });
  const code = compact(standaloneCode(ajv, entries));
  const left = /require\("([^"]+)"\)/.exec(code);
  if (left) throw new SpecError(`${source.file}: a keyword needs ${left[1]} at run time; the validators must stand alone`);
  const names = Object.keys(entries);
  const types = names.map((name) => `export declare const ${name}: Validate;`).join('\n');
  return [
    ['validators.js', `${banner}${code}\n`],
    ['validators.d.ts', `${banner}${validateType}\n${types}\n`],
  ];
}

// CommonJS under both loaders: the function is the module or its default.
function standaloneCode(ajv: ReturnType<typeof ajvWith>, entries: Record<string, string>): string {
  const make = (standalone as unknown as { default?: typeof standalone }).default ?? standalone;
  return (make as unknown as (ajv: unknown, refs: Record<string, string>) => string)(ajv, entries);
}

const validateType = `
/** What is wrong with a request, in ajv's terms. */
export interface Violation {
  readonly instancePath: string;
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** True when the value is allowed; the violations stand on the function until its next call. */
export interface Validate {
  (value: unknown): boolean;
  errors?: readonly Violation[] | null;
}
`;

function parametersSchema(operation: Operation): AnySchemaObject & JsonObject {
  const fields = operation.parameters.filter((one) => one.in !== 'header');
  const properties: { [name: string]: Json } = {};
  for (const one of fields) properties[one.name] = one.schema;
  return { type: 'object', properties, required: fields.filter((one) => one.required).map((one) => one.name) };
}
