/** Turns openapi-typescript's output into named declarations: hovers and emitted declarations then show `ChatResponse`. */
import { astToString } from 'openapi-typescript';
import ts from 'typescript';

export interface NamedTypes {
  /** One exported interface or type for each schema, as source text. */
  readonly schemas: string;
  /** `paths`, `operations` and the components that they refer to, as source text. */
  readonly operations: string;
  /** The schemas that `operations` mentions, sorted. */
  readonly mentioned: readonly string[];
}

/** Splits the declarations `paths`, `components` and `operations`; references to schemas become names. */
export function namedTypes(tree: readonly ts.Node[]): NamedTypes {
  const schemas: ts.Statement[] = [];
  const operations: ts.Statement[] = [];
  const mentioned = new Set<string>();
  for (const node of tree) {
    if (!ts.isInterfaceDeclaration(node)) continue;
    if (node.name.text !== 'components') {
      operations.push(rewrite(node, mentioned));
      continue;
    }
    const members = node.members.filter(ts.isPropertySignature);
    const kept = members.filter((member) => nameOf(member) !== 'schemas' && member.type?.kind !== ts.SyntaxKind.NeverKeyword);
    operations.push(rewrite(withMembers(node, kept), mentioned));
    for (const member of members) if (nameOf(member) === 'schemas') schemas.push(...declarations(member.type));
  }
  return { schemas: print(schemas), operations: print(operations), mentioned: [...mentioned].sort() };
}

/** One declaration for each member of `schemas`. An object becomes an interface, which every hover shows by its name. */
function declarations(schemas: ts.TypeNode | undefined): ts.Statement[] {
  if (!schemas || !ts.isTypeLiteralNode(schemas)) throw new Error('components.schemas is not an object type');
  return schemas.members.filter(ts.isPropertySignature).map((member) => {
    const type = member.type;
    if (!type) throw new Error(`the schema ${nameOf(member)} has no type`);
    const name = nameOf(member);
    const declaration = ts.isTypeLiteralNode(type)
      ? ts.factory.createInterfaceDeclaration(exported, name, undefined, undefined, type.members)
      : ts.factory.createTypeAliasDeclaration(exported, name, undefined, type);
    return rewrite(ts.setSyntheticLeadingComments(declaration, ts.getSyntheticLeadingComments(member)), new Set());
  });
}

const exported = [ts.factory.createModifier(ts.SyntaxKind.ExportKeyword)];

/** The statement with names in place of `components["schemas"][name]`, and with comments that begin with their text. */
function rewrite<Node extends ts.Statement>(statement: Node, mentioned: Set<string>): Node {
  const visit = (node: ts.Node): ts.Node => {
    const schema = schemaOf(node);
    if (schema !== undefined) {
      mentioned.add(schema);
      return ts.factory.createTypeReferenceNode(schema);
    }
    const visited = ts.visitEachChild(node, visit, undefined);
    const comments = ts.getSyntheticLeadingComments(node);
    return comments ? ts.setSyntheticLeadingComments(visited, comments.map(plain)) : visited;
  };
  return visit(statement) as Node;
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
