import { namesOf } from '../../../src/overlay/json/pointer.ts';
import ts from '../../typescript.mjs';
import type { KindName } from '../document/kinds.ts';
import { mediaTypeOf } from '../document/media-type.ts';
import { codeName, entries, isOwnHeader, list } from '../document/operations.ts';
import { banner, isObject, type Json, type JsonObject, resolve, type Source } from '../document/source.ts';
import { documentOf, follow, nodesOf, reached, rewriteNodes } from '../document/walk.ts';
import { namedTypes } from './named-types.ts';
import { openapiTS } from './openapi-typescript.ts';
import { limits, quote } from './prose.ts';

/** TypeScript types of the document by file: a named export for each schema, and the operations for the typed bindings. */
export async function typesFiles(source: Source): Promise<{ readonly types: string; readonly operations: string }> {
  const tree = await openapiTS(forTypes(source) as never, {
    silent: true,
    // A field with a default is optional for the caller.
    defaultNonNullable: false,
    emptyObjectsUnknown: true,
    transform: (schema, { path }) => typeOf(schema as unknown as JsonObject, path ?? ''),
  });
  const named = namedTypes(tree, { names: typeNames(source.value), inputs: inputNames(source) });
  return {
    types: `${banner}${fileSource}\n${named.schemas}`,
    operations: `${banner}\nimport type { ${named.mentioned.join(', ')} } from ${quote('./types.ts')};\n\n${withoutAbsent(named.operations)}`,
  };
}

const fileSource = `
/** A file to send. It is opened again for each attempt, so that a failed upload can be retried. */
export interface FileUpload {
  /** File name on the wire; a leading path is removed. */
  readonly name: string;
  /** Media type of the part. Default: application/octet-stream. */
  readonly type?: string | undefined;
  /** Size in bytes, if known. */
  readonly size?: number | undefined;
  /** Open the content from its start. Called once per attempt. */
  open(): AsyncIterable<Uint8Array> | Promise<AsyncIterable<Uint8Array>>;
}

/** Source of a file field. A stream can be read only once: a call that sends one is not retried after its first byte. */
export type FileSource = Blob | ArrayBuffer | Uint8Array | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array> | FileUpload;
`;

/** The document without the parts that only validators read, and with ranges and evidence in the descriptions. */
function forTypes(source: Source): JsonObject {
  const bare = rewriteNodes(documentOf(source), (node, kind) => {
    const copy = { ...node };
    if (kind === 'schema') typedSchema(source, copy);
    // Types of the client have one name for each form.
    if (isObject(copy['content'])) copy['content'] = Object.fromEntries(entries(copy['content']).map(([type, media]) => [mediaTypeOf(type), media]));
    if (kind === 'media') delete copy['x-event-schema'];
    if (kind === 'parameter' && isOwnHeader({ in: copy['in'] as 'header', name: String(copy['name']) })) delete copy['required'];
    return annotate(copy, kind);
  }) as JsonObject;
  const components = bare['components'] as JsonObject;
  return { openapi: bare['openapi'] ?? '3.1.0', info: bare['info'] ?? {}, paths: bare['paths'] ?? {}, components };
}

/** Leaves out conditions, which types cannot have, and requires the fields that the client fills in. Words in addition to any text stay in completions. */
function typedSchema(source: Source, schema: JsonObject): void {
  for (const key of ['if', 'then', 'else', 'contains', 'discriminator']) delete schema[key];
  const filled = entries(schema['properties']).flatMap(([name, field]) => (isObject(field) && field['x-filled'] === true ? [name] : []));
  if (filled.length > 0) schema['required'] = [...list(schema['required']), ...filled];
  for (const key of ['allOf', 'anyOf']) if (Array.isArray(schema[key]) && schema[key].every(saysNothing)) delete schema[key];
  for (const key of ['anyOf', 'oneOf'])
    if (list(schema[key]).some((branch) => follow(source.value, branch)['enum'] !== undefined))
      schema[key] = list(schema[key]).map((branch) => (isAnyText(branch) ? { ...branch, 'x-extensible-enum': [] } : branch));
}

function isAnyText(branch: Json): branch is JsonObject {
  const decides = ['enum', 'const', 'format', 'x-typescript', 'x-extensible-enum'];
  return isObject(branch) && branch['type'] === 'string' && decides.every((key) => branch[key] === undefined);
}

/** The TypeScript names of schemas. */
function typeNames(document: JsonObject): ReadonlyMap<string, string> {
  const schemas = entries(resolve(document, '#/components/schemas'));
  return new Map(schemas.map(([name, schema]) => [name, String((isObject(schema) && schema['x-type-name']) || codeName(name))]));
}

/** The schemas that a caller may send, in a body or inside another one. */
function inputNames(source: Source): ReadonlySet<string> {
  const refs = new Set<string>();
  const bodies = nodesOf(documentOf(source)).filter(({ kind, place }) => kind === 'body' && place[0] === 'paths');
  for (const body of bodies) reached(source, body, refs);
  return new Set([...refs].map((ref) => String(namesOf(ref)[2])));
}

/** True for a branch that had only conditions, or only a list of required names. */
function saysNothing(branch: Json): boolean {
  return (
    isObject(branch) &&
    Object.keys(branch).every((key) => key === 'required' || (key === 'properties' && Object.keys(branch['properties'] as JsonObject).length === 0))
  );
}

function annotate(node: JsonObject, kind: KindName): JsonObject {
  if (typeof node['description'] !== 'string') return node;
  const notes = [node['description'].trim(), limits(node)];
  // A documented field with a source only has a newer date than its operation.
  const isPlain = node['x-evidence'] === 'documented' && node['x-source'] !== undefined;
  if (typeof node['x-evidence'] === 'string' && kind !== 'operation' && !isPlain) notes.push(`Evidence: ${node['x-evidence']}.`);
  return { ...node, description: notes.filter((note) => note !== '').join(' ') };
}

const nothing = ts.factory.createLiteralTypeNode(ts.factory.createNull());

function typeOf(schema: JsonObject, path: string): ts.TypeNode | undefined {
  if (schema['format'] === 'binary') {
    const name = path.includes('/responses/') ? 'Uint8Array' : 'FileSource';
    return ts.factory.createTypeReferenceNode(name);
  }
  if (typeof schema['x-typescript'] === 'string') return ts.factory.createTypeReferenceNode(schema['x-typescript']);
  const known = schema['x-extensible-enum'];
  if (!Array.isArray(known)) return undefined;
  // `(string & {})` keeps the known words in completions; a bare `string` would swallow them.
  const open = ts.factory.createParenthesizedType(
    ts.factory.createIntersectionTypeNode([ts.factory.createKeywordTypeNode(ts.SyntaxKind.StringKeyword), ts.factory.createTypeLiteralNode([])]),
  );
  const words = known.map((word) =>
    ts.factory.createLiteralTypeNode(typeof word === 'number' ? numeric(word) : ts.factory.createStringLiteral(String(word))),
  );
  const kinds = Array.isArray(schema['type']) ? schema['type'] : [schema['type']];
  const types: ts.TypeNode[] = kinds.includes('string') ? [...words, open] : words;
  if (kinds.includes('null')) types.push(nothing);
  if (kinds.includes('integer')) types.push(ts.factory.createKeywordTypeNode(ts.SyntaxKind.NumberKeyword));
  if (kinds.includes('array') || kinds.includes('object')) return undefined;
  return types.length === 1 ? open : ts.factory.createUnionTypeNode(types);
}

function numeric(word: number): ts.NumericLiteral | ts.PrefixUnaryExpression {
  const size = ts.factory.createNumericLiteral(Math.abs(word));
  return word < 0 ? ts.factory.createPrefixUnaryExpression(ts.SyntaxKind.MinusToken, size) : size;
}

/** Operations without the fields that cannot be there, such as `get?: never`. */
function withoutAbsent(operations: string): string {
  return operations.replace(/^ *\w+\?: never;\n/gm, '').replace(/: \{\n *\};/g, ': {};');
}
