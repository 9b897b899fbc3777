import ts from '../typescript.mjs';
import { namedTypes } from './named-types.ts';
import { openapiTS } from './openapi-typescript.ts';
import { entries, list } from './operations.ts';
import { limits } from './prose.ts';
import { banner, isObject, type Json, type JsonObject, resolve, rewrite, type Source } from './source.ts';

/** TypeScript types of the document by file: a named export for each schema, and the operations for the typed bindings. */
export async function typesFiles(source: Source): Promise<{ readonly types: string; readonly operations: string }> {
  const tree = await openapiTS(forTypes(source.value) as never, {
    silent: true,
    // A field with a default is optional for the caller.
    defaultNonNullable: false,
    emptyObjectsUnknown: true,
    transform: (schema, { path }) => typeOf(schema as unknown as JsonObject, path ?? ''),
  });
  const named = namedTypes(tree, { names: typeNames(source.value), inputs: inputNames(source.value) });
  return {
    types: `${banner}${fileSource}\n${named.schemas}`,
    operations: `${banner}\nimport type { ${named.mentioned.join(', ')} } from './types.ts';\n\n${named.operations}`,
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
function forTypes(document: JsonObject): JsonObject {
  const bare = rewrite(document, (node) => {
    const copy: JsonObject = { ...node };
    delete copy['if'];
    delete copy['then'];
    delete copy['else'];
    delete copy['contains'];
    delete copy['x-event-schema'];
    // The client adds the protocol's headers; a caller of the typed bindings need not.
    if (copy['in'] === 'header' && copy['required'] === true) copy['required'] = false;
    const filled = Object.entries(isObject(copy['properties']) ? copy['properties'] : {}).filter(
      ([, field]) => isObject(field) && field['x-filled'] === true,
    );
    if (filled.length > 0) copy['required'] = [...list(copy['required']), ...filled.map(([name]) => name)];
    for (const key of ['allOf', 'anyOf']) if (Array.isArray(copy[key]) && copy[key].every(saysNothing)) delete copy[key];
    return annotate(copy);
  }) as JsonObject;
  const components = bare['components'] as JsonObject;
  return { openapi: bare['openapi'] ?? '3.1.0', info: bare['info'] ?? {}, paths: bare['paths'] ?? {}, components };
}

/** The TypeScript names of schemas whose own names belong to types of the client. */
function typeNames(document: JsonObject): ReadonlyMap<string, string> {
  const schemas = entries(resolve(document, '#/components/schemas'));
  return new Map(
    schemas.flatMap(([name, schema]) => (isObject(schema) && typeof schema['x-type-name'] === 'string' ? [[name, schema['x-type-name']]] : [])),
  );
}

/** The schemas that a caller may send, in a body or inside another one. */
function inputNames(document: JsonObject): ReadonlySet<string> {
  const names = new Set<string>();
  const visit = (node: Json | undefined): void => {
    if (Array.isArray(node)) for (const one of node) visit(one);
    if (!isObject(node)) return;
    const name = typeof node['$ref'] === 'string' ? /^#\/components\/schemas\/(.+)$/.exec(node['$ref'])?.[1] : undefined;
    if (name !== undefined && !names.has(name)) {
      names.add(name);
      visit(resolve(document, `#/components/schemas/${name}`));
    }
    for (const child of Object.values(node)) visit(child);
  };
  for (const [, item] of entries(document['paths']))
    for (const [, operation] of entries(item)) if (isObject(operation)) visit(operation['requestBody']);
  return names;
}

/** True for a branch that had only conditions, or only a list of required names. */
function saysNothing(branch: Json): boolean {
  return (
    isObject(branch) &&
    Object.keys(branch).every((key) => key === 'required' || (key === 'properties' && Object.keys(branch['properties'] as JsonObject).length === 0))
  );
}

function annotate(node: JsonObject): JsonObject {
  if (typeof node['description'] !== 'string') return node;
  const notes = [node['description'].trim(), limits(node)];
  // A documented field with a source only has a newer date than its operation.
  const isPlain = node['x-evidence'] === 'documented' && node['x-source'] !== undefined;
  if (typeof node['x-evidence'] === 'string' && node['operationId'] === undefined && !isPlain) notes.push(`Evidence: ${node['x-evidence']}.`);
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
  const words = known.map((word) => ts.factory.createLiteralTypeNode(ts.factory.createStringLiteral(String(word))));
  const types: ts.TypeNode[] = [...words, open];
  const kinds = Array.isArray(schema['type']) ? schema['type'] : [schema['type']];
  if (kinds.includes('null')) types.push(nothing);
  if (kinds.includes('integer')) types.push(ts.factory.createKeywordTypeNode(ts.SyntaxKind.NumberKeyword));
  if (kinds.includes('array') || kinds.includes('object')) return undefined;
  return ts.factory.createUnionTypeNode(types);
}
