/** A JSON Schema in object form. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

/** What may stand where a schema is expected: `true` accepts everything, `false` nothing. */
export type Subschema = JsonSchema | boolean;

export type MutableSchema = Record<string, unknown>;

export function isObject(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isSubschema(value: unknown): value is Subschema {
  return typeof value === 'boolean' || isObject(value);
}

/** Sets an own key: assignment would take `__proto__` for the prototype. */
export function put(target: MutableSchema, key: string, value: unknown): void {
  if (key === '__proto__') Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  else target[key] = value;
}

/** The named entry of a map whose names the caller chose, `constructor` and `__proto__` included. */
export function entry(map: JsonSchema, name: string): unknown {
  return Object.hasOwn(map, name) ? map[name] : undefined;
}

/** `properties` and the like; anything that is no map counts as empty. */
export function mapOf(value: unknown): JsonSchema {
  return isObject(value) ? value : {};
}

/** `required` and the like; anything that is no list of names counts as empty. */
export function namesOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((name): name is string => typeof name === 'string') : [];
}

/** What is no schema where one is due constrains nothing. */
export function asSchema(value: unknown): Subschema {
  return isSubschema(value) ? value : true;
}

export function isEmpty(schema: JsonSchema): boolean {
  for (const keyword in schema) if (Object.hasOwn(schema, keyword)) return false;
  return true;
}

/** Whether the schema says nothing at all. */
export function isTrivial(schema: Subschema): boolean {
  return schema === true || (isObject(schema) && isEmpty(schema));
}
