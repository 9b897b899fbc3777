import { Ajv2020 } from 'ajv/dist/2020.js';
import { ajvWith } from './ajv.ts';
import { checkRequiredTexts } from './empty-text.ts';
import { exampleProblems } from './example-check.ts';
import { type Operation, readOperations } from './operations.ts';
import { otelForm } from './otel.ts';
import { isLinear } from './patterns.ts';
import { evidenceWords } from './shape.ts';
import { isObject, type Json, type JsonObject, resolve, type Source } from './source.ts';

/** JSON Schema keywords that the generator writes to types, validators and docs. It would drop others silently. */
const schemaKeywords = new Set(
  `$ref type properties required items prefixItems additionalProperties propertyNames allOf anyOf oneOf if then else not
   contains minContains maxContains enum const default format pattern minLength maxLength minimum maximum exclusiveMinimum
   exclusiveMaximum multipleOf minItems maxItems uniqueItems minProperties maxProperties title description deprecated examples`.split(/\s+/),
);

/** Refuse a spec that cannot be compiled without loss. Returns its operations. */
export function checkSpec(source: Source): Operation[] {
  const { openapi } = source.value;
  if (openapi !== '3.1.0') throw source.error(['openapi'], `must be 3.1.0, not ${String(openapi)}`);
  checkTree(source, source.value, []);
  const schemas = resolve(source.value, '#/components/schemas');
  if (!isObject(schemas)) throw source.error(['components', 'schemas'], 'missing');
  for (const [name, schema] of Object.entries(schemas)) checkSchema(source, schema, ['components', 'schemas', name]);
  const operations = readOperations(source);
  for (const operation of operations) checkOperation(source, operation);
  checkRequiredTexts(source, operations);
  const ajv = ajvWith(source.value);
  checkCompiles(source, ajv, Object.keys(schemas));
  for (const problem of exampleProblems(ajv, operations)) throw source.error(problem.place, problem.text);
  return operations;
}

const aSwitch: Extension = { isValid: (value) => typeof value === 'boolean', must: 'must be true or false' };
const aText: Extension = { isValid: (value) => typeof value === 'string' && value !== '', must: 'must be a text' };
const aList: Extension = { isValid: Array.isArray, must: 'must be a list' };
const aMap: Extension = { isValid: isObject, must: 'must be a map' };

interface Extension {
  readonly isValid: (value: Json) => boolean;
  readonly must: string;
}

/** The extensions that the generator reads. It would ignore others silently. */
const extensions: Readonly<Record<string, Extension>> = {
  'x-type-name': aText,
  'x-typescript': aText,
  'x-filled': aSwitch,
  'x-evidence': { isValid: (value) => evidenceWords.includes(String(value)), must: `must be one of ${evidenceWords.join(', ')}` },
  'x-source': aList,
  'x-sources': aMap,
  'x-refuses': { isValid: isRefusals, must: 'must be a list of refusals with name, when, status, code, evidence and source' },
  'x-defaults': { isValid: isDefaults, must: 'must be a list of defaults with when and value' },
  'x-may-be-empty': aText,
  'x-extensible-enum': aList,
  'x-known-shapes': aMap,
  'x-event-schema': aMap,
  'x-expected': aList,
  'x-failed-status': aText,
  'x-answer-status': aList,
  'x-bills': aSwitch,
  'x-empty-reply': aSwitch,
  'x-otel': otelForm,
  'x-usage-is-result': aSwitch,
  'x-stamped': aSwitch,
  'x-surface': aText,
  'x-region': { isValid: (value) => value === 'global' || value === 'china', must: 'must be global or china' },
};

function isRefusals(value: Json): boolean {
  return (
    Array.isArray(value) &&
    value.every((one) => isObject(one) && refusalKeys.every((key) => one[key] !== undefined) && evidenceWords.includes(String(one['evidence'])))
  );
}

function isDefaults(value: Json): boolean {
  return Array.isArray(value) && value.every((one) => isObject(one) && typeof one['when'] === 'string' && one['value'] !== undefined);
}

const refusalKeys = ['name', 'when', 'status', 'code', 'evidence', 'source'];

function checkExtension(source: Source, name: string, value: Json, place: (string | number)[]): void {
  const extension = Object.hasOwn(extensions, name) ? extensions[name] : undefined;
  if (!extension) throw source.error(place, `unknown extension ${name}; use one of ${Object.keys(extensions).join(', ')}`);
  if (!extension.isValid(value)) throw source.error(place, extension.must);
}

/** Check the references and extensions of the whole document. */
function checkTree(source: Source, node: Json, place: (string | number)[]): void {
  if (Array.isArray(node)) for (const [index, item] of node.entries()) checkTree(source, item, [...place, index]);
  if (!isObject(node)) return;
  for (const [key, child] of Object.entries(node)) {
    if (key === 'examples' || key === 'example') continue;
    if (key.startsWith('x-')) checkExtension(source, key, child, [...place, key]);
    if (key === '$ref' && typeof child === 'string') {
      if (resolve(source.value, child) === undefined) throw source.error([...place, key], `${child} does not exist`);
    } else checkTree(source, child, [...place, key]);
  }
}

function checkSchema(source: Source, schema: Json | undefined, place: (string | number)[]): void {
  if (schema === undefined || typeof schema === 'boolean') return;
  if (!isObject(schema)) throw source.error(place, 'a schema must be an object or a boolean');
  checkForm(source, schema, place);
  checkWords(source, schema, place);
}

function checkWords(source: Source, schema: Json | undefined, place: (string | number)[]): void {
  if (!isObject(schema)) return;
  for (const [key, child] of Object.entries(schema)) {
    if (key.startsWith('x-')) continue;
    if (key === 'pattern' && !isPattern(child)) throw source.error([...place, key], 'not a regular expression');
    if (key === 'pattern' && !isLinear(String(child)))
      throw source.error([...place, key], 'the pattern may take more than linear time (see scripts/generate/patterns.ts)');
    if (!schemaKeywords.has(key)) throw source.error([...place, key], `unsupported keyword ${key}`);
    if (key === 'properties' && isObject(child))
      for (const [name, property] of Object.entries(child)) checkWords(source, property, [...place, key, name]);
    else if (['allOf', 'anyOf', 'oneOf', 'prefixItems'].includes(key) && Array.isArray(child))
      for (const [index, branch] of child.entries()) checkWords(source, branch, [...place, key, index]);
    else if (['items', 'additionalProperties', 'propertyNames', 'if', 'then', 'else', 'not', 'contains'].includes(key))
      checkWords(source, child, [...place, key]);
  }
}

function isPattern(text: Json): boolean {
  try {
    return new RegExp(String(text), 'u') !== undefined;
  } catch {
    return false;
  }
}

const metaschema = new Ajv2020({ validateFormats: false });

/** Refuse invalid JSON Schema, for instance `type: strng` or `required: true`. */
function checkForm(source: Source, schema: JsonObject, place: (string | number)[]): void {
  if (metaschema.validateSchema(schema)) return;
  const [first] = metaschema.errors ?? [];
  const steps = (first?.instancePath ?? '').split('/').slice(1);
  throw source.error([...place, ...steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))], `not JSON Schema: ${first?.message}`);
}

/** Report problems that only ajv finds: keywords without effect, or an `if` without a `then`. */
function checkCompiles(source: Source, ajv: Ajv2020, names: readonly string[]): void {
  for (const name of names)
    try {
      ajv.compile({ $ref: `spec#/$defs/${name}` });
    } catch (error) {
      throw source.error(['components', 'schemas', name], (error as Error).message);
    }
}

function checkOperation(source: Source, operation: Operation): void {
  const { place } = operation;
  if (!evidenceWords.includes(operation.evidence)) throw source.error([...place, 'x-evidence'], `must be one of ${evidenceWords.join(', ')}`);
  if (operation.summary === '' || operation.description === '') throw source.error(place, 'needs a summary and a description');
  checkParameters(source, operation);
  for (const parameter of operation.parameters) {
    checkSchema(source, parameter.schema, [...parameter.place, 'schema']);
    if (parameter.example === undefined) throw source.error(parameter.place, `parameter ${parameter.name} has no example`);
  }
  if (operation.body) {
    checkSchema(source, operation.body.schema, [...operation.body.place, 'schema']);
    if (Object.keys(operation.body.examples).length === 0) throw source.error(operation.body.place, `${operation.id} has no request example`);
  }
  if (!operation.replies.some((reply) => reply.status === '200')) throw source.error([...place, 'responses'], `${operation.id} has no 200 response`);
  for (const reply of operation.replies) {
    checkSchema(source, reply.schema, [...reply.place, 'schema']);
    if (Object.keys(reply.examples).length === 0)
      throw source.error(reply.place, `${operation.id} has no example for ${reply.status} ${reply.mediaType}`);
    if (reply.mediaType === 'text/event-stream' && reply.eventSchema === undefined) throw source.error(reply.place, 'a stream needs x-event-schema');
  }
}

/** Refuse parameters that do not match the path: an undeclared one would go out as `{id}`. */
function checkParameters(source: Source, { path, place, parameters }: Operation): void {
  const inPath = new Set([...path.matchAll(/\{([^}]*)\}/g)].map(([, name]) => name));
  const seen = new Set<string>();
  for (const { name, in: at, required, place: own } of parameters) {
    if (!['path', 'query', 'header'].includes(at)) throw source.error([...own, 'in'], 'must be path, query or header');
    if (at === 'path' && !inPath.has(name)) throw source.error(own, `the path has no {${name}}`);
    if (at === 'path' && !required) throw source.error(own, 'a path parameter is required: true');
    if (seen.has(name)) throw source.error(own, `${name} is declared twice`);
    seen.add(name);
  }
  for (const name of inPath)
    if (!parameters.some((one) => one.in === 'path' && one.name === name))
      throw source.error(place, `the path has {${name}}, and no parameter of that name is declared`);
}
