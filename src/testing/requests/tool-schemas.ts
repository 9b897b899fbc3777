import { isFields } from '../../overlay/json/json-value.ts';

/** Keywords that the service's tool schema parser cannot process. */
const refused: readonly string[] = ['anyOf', 'oneOf', 'allOf', '$ref', '$defs'];
/** Keywords whose value is a schema, or a list of them. */
const schemas: readonly string[] = ['items', 'prefixItems', 'additionalProperties', 'contains', 'not', 'if', 'then', 'else', 'propertyNames'];
/** Keywords whose value is a map of schemas. Its names are not keywords. */
const maps: readonly string[] = ['properties', 'patternProperties', 'dependentSchemas', 'definitions'];

/** The first refused keyword in a schema position. Data in `enum`, `default` and similar keywords does not count. */
function refusedKeyword(schema: unknown): string | undefined {
  if (!isFields(schema)) return undefined;
  const inner = [
    ...schemas.flatMap((keyword) => [schema[keyword]].flat()),
    ...maps.flatMap((keyword) => (isFields(schema[keyword]) ? Object.values(schema[keyword]) : [])),
  ];
  return refused.find((keyword) => keyword in schema) ?? inner.map(refusedKeyword).find((keyword) => keyword !== undefined);
}

/** The reason why the service rejects the tools of a chat request; undefined if it accepts them. */
export function refusedTool(body: unknown): string | undefined {
  const tools: readonly unknown[] = isFields(body) && Array.isArray(body['tools']) ? body['tools'] : [];
  for (const [index, tool] of tools.entries()) {
    const definition = isFields(tool) ? tool['function'] : undefined;
    const keyword = isFields(definition) ? refusedKeyword(definition['parameters']) : undefined;
    if (keyword !== undefined) return `tools[${index}].function.parameters has ${keyword}, which the service cannot read`;
  }
  return undefined;
}
