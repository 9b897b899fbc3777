/** Operations that a method of a service calls, found by following names through the sources of the services. */
import ts from '../../typescript.mjs';
import { declarationsOf, importsOf, parse } from './declarations.ts';

/** Names of the route constants that a method uses, directly or through other methods and functions of the services. */
export function routesUsed(owner: ts.ClassDeclaration, method: ts.MethodDeclaration): string[] {
  const walk: Walk = { routes: new Set(), seen: new Set() };
  follow(method, owner, walk);
  return [...walk.routes];
}

interface Walk {
  readonly routes: Set<string>;
  readonly seen: Set<ts.Node>;
}

function follow(node: ts.Node, owner: ts.ClassDeclaration | undefined, walk: Walk): void {
  if (walk.seen.has(node)) return;
  walk.seen.add(node);
  const visit = (child: ts.Node): void => {
    if (ts.isTypeNode(child)) return;
    if (ts.isPropertyAccessExpression(child) && owner) {
      if (child.expression.kind === ts.SyntaxKind.ThisKeyword) return followMember(owner, child.name.text, walk);
      const other = serviceOf(child.expression, owner);
      if (other) return followMember(other, child.name.text, walk);
    }
    if (ts.isIdentifier(child)) followName(child, walk);
    ts.forEachChild(child, visit);
  };
  ts.forEachChild(node, visit);
}

function followMember(owner: ts.ClassDeclaration, name: string, walk: Walk): void {
  // The implementation is after the other forms.
  const member = owner.members.findLast((one) => one.name?.getText() === name);
  if (member) follow(member, owner, walk);
  const value = member && ts.isPropertyDeclaration(member) && !member.initializer ? valueInConstructor(owner, name) : undefined;
  if (value) follow(value, owner, walk);
}

/** The value that the constructor gives a field. */
function valueInConstructor(owner: ts.ClassDeclaration, name: string): ts.Expression | undefined {
  for (const { expression } of owner.members.find(ts.isConstructorDeclaration)?.body?.statements.filter(ts.isExpressionStatement) ?? [])
    if (ts.isBinaryExpression(expression) && expression.left.getText() === `this.${name}`) return expression.right;
  return undefined;
}

/** The class of `this.#files`, if that is another service. */
function serviceOf(expression: ts.Expression, owner: ts.ClassDeclaration): ts.ClassDeclaration | undefined {
  if (!ts.isPropertyAccessExpression(expression) || expression.expression.kind !== ts.SyntaxKind.ThisKeyword) return undefined;
  const member = owner.members.find((one) => one.name?.getText() === expression.name.text);
  if (!member || !ts.isPropertyDeclaration(member) || !member.type) return undefined;
  const imported = importsOf(owner.getSourceFile()).get(member.type.getText());
  const declaration = imported && declarationsOf(parse(imported.file)).get(imported.name);
  return declaration && ts.isClassDeclaration(declaration) ? declaration : undefined;
}

function followName(identifier: ts.Identifier, walk: Walk): void {
  const { parent, text } = identifier;
  if ((ts.isPropertyAccessExpression(parent) && parent.name === identifier) || ts.isPropertyAssignment(parent)) {
    if (!ts.isPropertyAssignment(parent) || parent.initializer !== identifier) return;
  }
  const source = identifier.getSourceFile();
  const imported = importsOf(source).get(text);
  if (imported?.file.endsWith('generated/routes.ts')) walk.routes.add(imported.name);
  const declaration = imported?.file.includes('/services/')
    ? declarationsOf(parse(imported.file)).get(imported.name)
    : declarationsOf(source).get(text);
  if (declaration && !ts.isClassDeclaration(declaration)) follow(declaration, undefined, walk);
}
