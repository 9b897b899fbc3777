/** The fields of requests as options of the command line: one constant for each operation, from which a command makes its options. */
import { entries, list, type Operation } from '../document/operations.ts';
import { banner, isObject, type JsonObject, type Source } from '../document/source.ts';
import { follow, nodeOf, reached } from '../document/walk.ts';
import { keyOf, quote } from './prose.ts';

export function optionsFile(source: Source, operations: readonly Operation[]): string {
  const constants = operations.flatMap((operation) => {
    const rows = [...fieldsOf(source, operation)].flatMap(([name, field]) => rowOf(source, name, field) ?? []);
    const text = rows.map((row) => `  ${row},\n`).join('');
    return rows.length === 0
      ? []
      : [`/** Fields of \`${operation.id}\`. */\nexport const ${operation.constant}: readonly FieldOption[] = [\n${text}];\n`];
  });
  return `${banner}
/** A field of a request as an option of the command line. */
export interface FieldOption {
  readonly field: string;
  /** Default: the name of the field, with dashes. */
  readonly name?: string;
  /** Default: \`text\`. */
  readonly kind?: 'flag' | 'integer' | 'list' | 'number' | 'text';
  /** The only values. */
  readonly choices?: readonly string[];
  /** Values that are known; the service may take others. */
  readonly known?: readonly string[];
  /** The switch sends false. */
  readonly off?: true;
  readonly summary: string;
  readonly default?: string;
}

${constants.join('\n')}`;
}

/** The fields of the body and the parameters of the query, each with its description. */
function fieldsOf(source: Source, { body, parameters }: Operation): Map<string, JsonObject> {
  const fields = new Map<string, JsonObject>();
  const parts = body ? reached(source, nodeOf('schema', body.schema, []), new Set(), ({ under }) => ['', 'allOf'].includes(under)) : [];
  for (const { value } of parts)
    for (const [name, field] of entries(isObject(value) ? value['properties'] : undefined))
      if (isObject(field)) fields.set(name, { ...follow(source.value, field), ...field });
  for (const { in: place, name, schema, description } of parameters)
    if (place === 'query' && isObject(schema)) fields.set(name, { ...follow(source.value, schema), description });
  return fields;
}

const kinds: Readonly<Record<string, string>> = { integer: 'integer', number: 'number', string: 'text', boolean: 'flag' };

/** Undefined for a field that is not an option: an object, bytes, the choice of a method, or one that `x-option: false` leaves out. */
function rowOf(source: Source, field: string, schema: JsonObject): string | undefined {
  const { items, default: preset, format, 'x-option': wanted } = schema;
  const [type, other] = [schema['type'] ?? []].flat().filter((one) => one !== 'null');
  const isList =
    type === 'array' && [follow(source.value, items)['type']].flat().includes('string') && follow(source.value, items)['format'] !== 'binary';
  const kind = isList ? 'list' : kinds[String(type)];
  if (kind === undefined || other !== undefined || field === 'stream' || format === 'binary' || wanted === false) return undefined;
  const isOff = type === 'boolean' && preset === true;
  const name = field
    .replace(/([a-z])([A-Z])/g, '$1-$2')
    .replaceAll('_', '-')
    .toLowerCase();
  const words = (key: string): string | undefined => {
    const found = type === 'string' ? list(schema[key]).filter((one) => one !== null) : [];
    return found.length === 0 ? undefined : `[${found.map((one) => quote(String(one))).join(', ')}]`;
  };
  const said = sentenceOf(String(schema['description'] ?? field)) + rangeOf(schema);
  const columns: [key: string, value: string | undefined][] = [
    ['field', quote(field)],
    ['name', isOff ? quote(`no-${name}`) : name === field.replaceAll('_', '-') ? undefined : quote(name)],
    ['kind', kind === 'text' ? undefined : quote(kind)],
    ['choices', words('enum')],
    // Shells complete models from the catalogue.
    ['known', field === 'model' ? undefined : words('x-extensible-enum')],
    ['off', isOff ? 'true' : undefined],
    ['summary', quote(isOff ? `Turn this off: ${said.charAt(0).toLowerCase()}${said.slice(1)}` : said)],
    ['default', preset === undefined || preset === null || type === 'boolean' ? undefined : quote(String(preset))],
  ];
  return `{ ${columns.flatMap(([key, value]) => (value === undefined ? [] : [`${keyOf(key)}: ${value}`])).join(', ')} }`;
}

/** The first sentence of a description, without its full stop. */
function sentenceOf(text: string): string {
  const plain = text.replace(/\s+/g, ' ').replaceAll('`', '').trim();
  return (/^.*?[.:](?= |$)/.exec(plain)?.[0] ?? plain).replace(/[.:]$/, '');
}

function rangeOf({ minimum: from, maximum: to }: JsonObject): string {
  if (typeof to !== 'number') return '';
  return typeof from === 'number' ? `, ${from} to ${to}` : `, up to ${to}`;
}
