/** Names of the document that become names in the code: none is taken, and none is a word of TypeScript. */
import { readFileSync } from 'node:fs';
import ts from '../../typescript.mjs';
import { codeName, entries, list, type Operation, ruleName } from '../document/operations.ts';
import { isObject, resolve, type Source } from '../document/source.ts';

/** Names of the files that schemas are written to. A global one would be another type there. */
const taken: Readonly<Record<string, string>> = Object.fromEntries([
  ...['FileUpload', 'FileSource', 'WithRequired', 'Rules'].map((name) => [name, 'a type of the generator']),
  ...'Array ArrayBuffer AsyncIterable Blob Promise ReadableStream Record Uint8Array'.split(' ').map((name) => [name, 'a type of the language']),
] as [string, string][]);

export function checkNames(source: Source, operations: readonly Operation[]): void {
  checkGroups(source);
  const own = exportedTypes();
  const types = new Map<string, string>();
  const schemas = entries(resolve(source.value, '#/components/schemas'));
  for (const [name, schema] of schemas) {
    const isRenamed = isObject(schema) && schema['x-type-name'] !== undefined;
    const type = String((isRenamed && isObject(schema) && schema['x-type-name']) || codeName(name));
    const place = ['components', 'schemas', name, ...(isRenamed ? ['x-type-name'] : [])];
    const reason = isWord(type) ? 'a word of TypeScript' : (taken[type] ?? (own.has(type) ? 'a type of the client' : undefined));
    if (reason !== undefined) throw source.error(place, `${type} is ${reason}: give the type another name with x-type-name`);
    if (isWord(codeName(name))) throw source.error(place, `${name} is a word of TypeScript: rename the schema`);
    const twin = types.get(type);
    if (twin !== undefined) throw source.error(place, `the type ${type} is also that of ${twin}`);
    types.set(type, name);
  }
  const constants = new Map(['roots', 'allRoutes', 'usageIsResultPaths'].map((name) => [name, 'a table of the routes']));
  for (const { constant, id, place, body, parameters } of operations) {
    if (schemas.some(([name]) => codeName(name) === constant))
      throw source.error(['components', 'schemas', constant], `${constant} is the name of ${id} in the code: rename the schema`);
    const twin = constants.get(constant);
    if (twin !== undefined) throw source.error([...place, 'operationId'], `${id} has the name ${constant} in the code, which is that of ${twin}`);
    constants.set(constant, id);
    for (const rule of [...(body ? ['body'] : []), ...(parameters.length > 0 ? ['parameters'] : [])].map((part) => ruleName(constant, part)))
      if (types.has(rule) || schemas.some(([name]) => codeName(name) === rule))
        throw source.error(['components', 'schemas', types.get(rule) ?? rule], `${rule} is the name of the rule of ${id}: rename the schema`);
  }
}

function checkGroups(source: Source): void {
  const groups = list(source.value['tags']).map((tag) => (isObject(tag) ? tag['name'] : undefined));
  for (const [index, name] of groups.entries()) {
    if (groups.indexOf(name) < index) throw source.error(['tags', index, 'name'], `${name} is declared twice`);
  }
}

/** A keyword, also one that is a name in some places only, such as `string`. */
function isWord(name: string): boolean {
  const scanner = ts.createScanner(ts.ScriptTarget.Latest, true);
  scanner.setText(name);
  return scanner.scan() !== ts.SyntaxKind.Identifier;
}

function isGenerated({ moduleSpecifier }: ts.ExportDeclaration): boolean {
  return moduleSpecifier !== undefined && ts.isStringLiteral(moduleSpecifier) && moduleSpecifier.text === '../generated/types.ts';
}

function statementsOf(path: string): ts.NodeArray<ts.Statement> {
  return ts.createSourceFile(path, readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8'), ts.ScriptTarget.Latest).statements;
}

const protocols = 'src/overlay/streams/protocols.ts';

/** Refuses a stream of an operation that the table of protocols does not have: each call would end in an error. */
export function checkStreams(source: Source, operations: readonly Operation[]): void {
  const read = new Set(
    statementsOf(protocols).flatMap((one) =>
      ts.isVariableStatement(one) ? one.declarationList.declarations.map(({ name }) => (ts.isIdentifier(name) ? name.text : '')) : [],
    ),
  );
  for (const { constant, replies } of operations)
    for (const { mediaType, place } of replies)
      if (mediaType === 'text/event-stream' && !read.has(constant))
        throw source.error(place, `no protocol reads this stream: add ${constant} to ${protocols}, with how an item is read and how the stream ends`);
}

/** The names that entries export in addition to the generated types: one of both would hide the other. */
function exportedTypes(): ReadonlySet<string> {
  return new Set(
    ['src/overlay/index.ts', 'src/types/index.ts']
      .flatMap(statementsOf)
      .flatMap((one) =>
        ts.isExportDeclaration(one) && one.exportClause && ts.isNamedExports(one.exportClause) && !isGenerated(one)
          ? one.exportClause.elements.map(({ name }) => name.text)
          : [],
      ),
  );
}
