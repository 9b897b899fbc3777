import { isObject, type Json, type JsonObject, type Source } from './source.ts';
import { follow, isOfSameValue, nodeOf, type Place, reached } from './walk.ts';

interface Reply {
  readonly status: string;
  readonly mediaType: string;
  readonly schema: JsonObject;
  readonly place: Place;
}

/** How an expected field is recognized. */
type Kind = 'array' | 'filled' | 'object' | 'value';

/** Fields by kind. Every successful JSON reply of the operation has at least one of them. Undefined if the reply is not JSON. */
export type ExpectedFields = Readonly<Record<string, Kind>>;

/** Read `x-expected`. Every JSON operation must have it, and it lists fields of the reply's schema. */
export function readExpected(
  source: Source,
  raw: JsonObject,
  replies: readonly Reply[],
  place: readonly (string | number)[],
): ExpectedFields | undefined {
  // Null is an empty reply.
  const names = Array.isArray(raw['x-expected']) ? raw['x-expected'].filter((one) => one !== null) : raw['x-expected'];
  const at = [...place, 'x-expected'];
  const reply = replies.find((one) => one.status.startsWith('2') && one.mediaType === 'application/json');
  if (!reply) {
    if (names !== undefined) throw source.error(at, 'only operations with a JSON reply can have x-expected');
    return undefined;
  }
  refuseScalar(source, reply, 'reads');
  if (!Array.isArray(names) || !names.every((name) => typeof name === 'string'))
    throw source.error(at, 'must list fields of the reply; every success has at least one of them');
  const filled = raw['x-filled'] ?? [];
  const isFilled = (name: string): boolean => Array.isArray(filled) && filled.includes(name);
  for (const [index, name] of [filled].flat().entries())
    if (typeof name !== 'string' || !names.includes(name))
      throw source.error([...place, 'x-filled', index], `${String(name)} must be a list among the fields of x-expected`);
  return Object.fromEntries(
    names.map((name): [string, Kind] => {
      const kinds = fieldSchemas(source, reply.schema, name).map((schema) => kindOf(source.value, schema));
      const [kind] = kinds;
      if (kind === undefined) throw source.error(at, `the reply has no field ${name}`);
      const common = kinds.every((one) => one === kind) ? kind : 'value';
      if (!isFilled(name)) return [name, common];
      if (common !== 'array') throw source.error([...place, 'x-filled'], `${name} must be a list among the fields of x-expected`);
      return [name, 'filled'];
    }),
  );
}

/** The methods send and read fields or a list. Refuses a request or a reply that is a text, a number, a switch or null. */
export function refuseScalar(source: Source, { schema, place }: Pick<Reply, 'schema' | 'place'>, does: 'sends' | 'reads'): void {
  for (const { value, place: at } of reached(source, nodeOf('schema', schema, [...place, 'schema']), new Set(), isOfSameValue)) {
    const key = isObject(value) ? ['type', 'const', 'enum'].find((one) => value[one] !== undefined) : undefined;
    if (!isObject(value) || key === undefined) continue;
    if (key !== 'type' || [value['type']].flat().some((type) => type !== 'object' && type !== 'array'))
      throw source.error([...at, key], `no method ${does} JSON that is neither an object nor a list: write an object with the value as a field`);
  }
}

/** The schemas of a field, one for each branch that has it. */
function fieldSchemas(source: Source, schema: JsonObject, name: string): Json[] {
  const branches = reached(source, nodeOf('schema', schema, []), new Set(), isOfSameValue);
  return branches.flatMap(({ value }) => {
    const fields = isObject(value) ? value['properties'] : undefined;
    return isObject(fields) && fields[name] !== undefined ? [fields[name]] : [];
  });
}

function kindOf(document: JsonObject, schema: Json): Kind {
  const types = [follow(document, schema)['type']].flat().filter((type) => type !== 'null');
  const [type] = types;
  return types.length === 1 && (type === 'array' || type === 'object') ? type : 'value';
}
