/** Turns openapi-typescript's output into named declarations: hovers and emitted declarations then show `ChatResponse`. */

import ts from '../../typescript.mjs';
import { SpecError } from '../document/source.ts';
import { astToString } from './openapi-typescript.ts';

export interface NamedTypes {
  /** One exported interface or type for each schema, as source text. */
  readonly schemas: string;
  /** `paths`, `operations` and the components that they refer to, as source text. */
  readonly operations: string;
  /** The schemas that `operations` mentions, sorted. */
  readonly mentioned: readonly string[];
}

export interface SchemaNames {
  /** TypeScript names of schemas, where they differ. */
  readonly names: ReadonlyMap<string, string>;
  /** Schemas that a caller sends. */
  readonly inputs: ReadonlySet<string>;
}

/** Splits the declarations `paths`, `components` and `operations`; references to schemas become names. */
export function namedTypes(tree: readonly ts.Node[], { names, inputs }: SchemaNames): NamedTypes {
  const schemas: ts.Statement[] = [];
  const operations: ts.Statement[] = [];
  const helpers: ts.TypeAliasDeclaration[] = [];
  const mentioned = new Set<string>();
  for (const node of tree) {
    // `WithRequired`, which `required` next to `allOf` uses.
    if (ts.isTypeAliasDeclaration(node)) helpers.push(node);
    if (!ts.isInterfaceDeclaration(node)) continue;
    if (node.name.text !== 'components') {
      operations.push(accepting(rewrite(node, names, mentioned), false));
      continue;
    }
    const members = node.members.filter(ts.isPropertySignature);
    const kept = members.filter((member) => nameOf(member) !== 'schemas' && member.type?.kind !== ts.SyntaxKind.NeverKeyword);
    operations.push(accepting(rewrite(withMembers(node, kept), names, mentioned), false));
    for (const member of members) if (nameOf(member) === 'schemas') schemas.push(...declarations(member.type, { names, inputs }));
  }
  const withHelpers = (statements: ts.Statement[]): string => {
    const text = print(statements);
    return [text, ...helpers.filter(({ name }) => new RegExp(`\\b${name.text}<`).test(text)).map((one) => astToString(one))].join('\n');
  };
  const text = withHelpers(operations);
  // A file of an inline form.
  if (/\bFileSource\b/.test(text)) mentioned.add('FileSource');
  return { schemas: withHelpers(schemas), operations: text, mentioned: [...mentioned].sort() };
}

/** One declaration for each member of `schemas`. An object becomes an interface, which every hover shows by its name. */
function declarations(schemas: ts.TypeNode | undefined, { names, inputs }: SchemaNames): ts.Statement[] {
  if (!schemas || !ts.isTypeLiteralNode(schemas)) throw new SpecError('components.schemas is not an object type');
  return schemas.members.filter(ts.isPropertySignature).map((member) => {
    const type = member.type;
    if (!type) throw new SpecError(`the schema ${nameOf(member)} has no type`);
    const name = names.get(nameOf(member)) ?? nameOf(member);
    const declaration = ts.isTypeLiteralNode(type)
      ? ts.factory.createInterfaceDeclaration(exported, name, undefined, undefined, type.members)
      : ts.factory.createTypeAliasDeclaration(exported, name, undefined, type);
    const commented = ts.setSyntheticLeadingComments(declaration, ts.getSyntheticLeadingComments(member));
    const schema = rewrite(commented, names, new Set());
    return inputs.has(nameOf(member)) ? accepting(schema, true) : schema;
  });
}

const exported = [ts.factory.createModifier(ts.SyntaxKind.ExportKeyword)];

/** The statement with names instead of `components["schemas"][name]`, and with comments that begin with their text. */
function rewrite<Node extends ts.Statement>(statement: Node, names: SchemaNames['names'], mentioned: Set<string>): Node {
  const visit = (node: ts.Node): ts.Node => {
    const found = schemaOf(node);
    if (found !== undefined) {
      const schema = names.get(found) ?? found;
      mentioned.add(schema);
      return ts.factory.createTypeReferenceNode(schema);
    }
    const visited = ts.visitEachChild(node, visit, undefined);
    const comments = ts.getSyntheticLeadingComments(node);
    return comments ? ts.setSyntheticLeadingComments(visited, comments.map(plain)) : visited;
  };
  return visit(statement) as Node;
}

/**
 * The statement with undefined allowed in optional fields, because `exactOptionalPropertyTypes` would refuse it. A body also takes readonly
 * lists, and null in optional fields as the validation does.
 */
function accepting<Node extends ts.Statement>(statement: Node, isBody: boolean): Node {
  const visit = (node: ts.Node): ts.Node => {
    const visited = ts.visitEachChild(node, visit, undefined);
    if (ts.isArrayTypeNode(visited) && isBody) return ts.factory.createTypeOperatorNode(ts.SyntaxKind.ReadonlyKeyword, visited);
    // An interface has no index signature, and fits only one of `any`.
    if (ts.isIndexSignatureDeclaration(visited) && isBody && visited.type.kind === ts.SyntaxKind.UnknownKeyword)
      return ts.factory.createIndexSignature(visited.modifiers, visited.parameters, ts.factory.createKeywordTypeNode(ts.SyntaxKind.AnyKeyword));
    if (!ts.isPropertySignature(visited) || !visited.questionToken || !visited.type || visited.type.kind === ts.SyntaxKind.NeverKeyword)
      return visited;
    const { modifiers, name, questionToken, type } = visited;
    const absent = [...(isBody ? [ts.factory.createLiteralTypeNode(ts.factory.createNull())] : []), undefinedType];
    const given = (ts.isUnionTypeNode(type) ? [...type.types] : [type]).filter((one) => !isBody || !isNull(one));
    const signature = ts.factory.createPropertySignature(modifiers, name, questionToken, ts.factory.createUnionTypeNode([...given, ...absent]));
    return ts.setSyntheticLeadingComments(signature, ts.getSyntheticLeadingComments(visited));
  };
  return visit(statement) as Node;
}

const undefinedType = ts.factory.createKeywordTypeNode(ts.SyntaxKind.UndefinedKeyword);

function isNull(type: ts.TypeNode): boolean {
  return ts.isLiteralTypeNode(type) && type.literal.kind === ts.SyntaxKind.NullKeyword;
}

/** `Name` of `components["schemas"]["Name"]`. */
function schemaOf(node: ts.Node): string | undefined {
  if (!ts.isIndexedAccessTypeNode(node) || !ts.isIndexedAccessTypeNode(node.objectType)) return undefined;
  return literal(node.objectType.indexType) === 'schemas' ? literal(node.indexType) : undefined;
}

function literal(type: ts.TypeNode): string | undefined {
  return ts.isLiteralTypeNode(type) && ts.isStringLiteral(type.literal) ? type.literal.text : undefined;
}

/** Drops `@description` and the indent of its further lines. After another tag it has to stay, or it would become that tag's text. */
function plain(comment: ts.SynthesizedComment): ts.SynthesizedComment {
  const [before = '', after] = comment.text.split('@description ', 2);
  if (after === undefined || before.includes('@')) return comment;
  // A summary is a paragraph of its own.
  const lead = /\w/.test(before) ? before.replace(/\n \* $/, '\n *\n * ') : before;
  return { ...comment, text: (lead + after).replaceAll('\n *     ', '\n * ') };
}

function nameOf(member: ts.PropertySignature): string {
  return ts.isIdentifier(member.name) || ts.isStringLiteral(member.name) ? member.name.text : '';
}

function withMembers(node: ts.InterfaceDeclaration, members: readonly ts.TypeElement[]): ts.InterfaceDeclaration {
  return ts.factory.updateInterfaceDeclaration(node, node.modifiers, node.name, node.typeParameters, node.heritageClauses, members);
}

function print(statements: ts.Statement[]): string {
  return statements.map((one) => astToString(one)).join('\n');
}
