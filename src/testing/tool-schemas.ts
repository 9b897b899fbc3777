/** Keywords that the service's tool schema parser cannot process. */
const refused: readonly string[] = ['anyOf', 'oneOf', 'allOf', '$ref', '$defs'];
/** Keywords whose value is a schema, or a list of them. */
const schemas: readonly string[] = ['items', 'prefixItems', 'additionalProperties', 'contains', 'not', 'if', 'then', 'else', 'propertyNames'];
/** Keywords whose value is a map of schemas. Its names are not keywords. */
const maps: readonly string[] = ['properties', 'patternProperties', 'dependentSchemas', 'definitions'];

/** True if a refused keyword is in a schema position. Data in `enum`, `default` and similar keywords does not count. */
function isRefusedSchema(schema: unknown): boolean {
  if (!isFields(schema)) return false;
  if (refused.some((keyword) => keyword in schema)) return true;
  if (schemas.some((keyword) => [schema[keyword]].flat().some(isRefusedSchema))) return true;
  return maps.some((keyword) => isFields(schema[keyword]) && Object.values(schema[keyword]).some(isRefusedSchema));
}

/** True if a request declares a tool whose schema the service rejects. */
export function hasRefusedTool(body: unknown): boolean {
  if (!isFields(body) || !Array.isArray(body['tools'])) return false;
  return body['tools'].some((tool: unknown) => {
    if (!isFields(tool)) return false;
    const definition = tool['function'];
    return isRefusedSchema(tool['input_schema']) || (isFields(definition) && isRefusedSchema(definition['parameters']));
  });
}

function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
