import { isObject, isSubschema, type JsonSchema, type MutableSchema, mapOf, put } from './json-schema.ts';
import { declaredTypes, typeKeyword } from './types.ts';

/** Converts a schema to the form that merging expects: no legacy keywords, no keyword without effect. */
export function settle(schema: JsonSchema): JsonSchema {
  if (!OLD_FORMS.some((keyword) => schema[keyword] !== undefined)) return schema;
  const settled: MutableSchema = { ...schema };
  settleNullable(settled);
  settleDependencies(settled);
  if (settled['contains'] === undefined) {
    delete settled['minContains'];
    delete settled['maxContains'];
  }
  // "Unevaluated" means "additional" if no other schema applies to the value. Items evaluated by `contains` are the exception.
  moveTo(settled, 'unevaluatedProperties', 'additionalProperties', settled['dependentSchemas'] === undefined);
  moveTo(settled, 'unevaluatedItems', 'items', settled['contains'] === undefined);
  return settled;
}

const OLD_FORMS = ['nullable', 'dependencies', 'minContains', 'maxContains', 'unevaluatedProperties', 'unevaluatedItems'];

function settleNullable(schema: MutableSchema): void {
  if (schema['nullable'] === true && schema['type'] !== undefined) {
    const type = typeKeyword(declaredTypes(schema));
    if (type === undefined) delete schema['type'];
    else schema['type'] = type;
  }
  delete schema['nullable'];
}

function settleDependencies(schema: MutableSchema): void {
  if (!isObject(schema['dependencies'])) return;
  const required: MutableSchema = { ...mapOf(schema['dependentRequired']) };
  const schemas: MutableSchema = { ...mapOf(schema['dependentSchemas']) };
  for (const [name, dependency] of Object.entries(schema['dependencies'])) {
    // The newer keyword wins for the same name. Dropping one of two constraints only widens the schema.
    if (Array.isArray(dependency) && !Object.hasOwn(required, name)) put(required, name, dependency);
    else if (isSubschema(dependency) && !Object.hasOwn(schemas, name)) put(schemas, name, dependency);
  }
  delete schema['dependencies'];
  if (Object.keys(required).length > 0) schema['dependentRequired'] = required;
  if (Object.keys(schemas).length > 0) schema['dependentSchemas'] = schemas;
}

function moveTo(schema: MutableSchema, from: string, to: string, possible: boolean): void {
  if (possible && schema[to] === undefined && schema[from] !== undefined) schema[to] = schema[from];
  delete schema[from];
}
