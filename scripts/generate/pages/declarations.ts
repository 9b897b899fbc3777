/** The hand-written sources, parsed: their declarations, doc comments and exports. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from '../../typescript.mjs';
import { SpecError } from '../document/source.ts';

/** The hand-written sources of this project, whatever the root that is generated. */
export const sourceFolder: string = fileURLToPath(new URL('../../../src', import.meta.url));

export type Declaration = ts.FunctionDeclaration | ts.ClassDeclaration | ts.InterfaceDeclaration | ts.TypeAliasDeclaration | ts.VariableDeclaration;

const parsed = new Map<string, ts.SourceFile>();

/** A file by its path below `src`. */
export function parse(path: string): ts.SourceFile {
  const file = resolve(sourceFolder, path);
  let source = parsed.get(file);
  if (source === undefined) parsed.set(file, (source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true)));
  return source;
}

const declared = new Map<ts.SourceFile, Map<string, Declaration>>();

export function declarationsOf(source: ts.SourceFile): Map<string, Declaration> {
  let found = declared.get(source);
  if (found === undefined) declared.set(source, (found = readDeclarations(source)));
  return found;
}

function readDeclarations(source: ts.SourceFile): Map<string, Declaration> {
  const found = new Map<string, Declaration>();
  for (const statement of source.statements) {
    if (ts.isVariableStatement(statement)) for (const one of statement.declarationList.declarations) found.set(one.name.getText(), one);
    else if ((ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement)) && !found.has(statement.name?.text ?? ''))
      // The first overload has the doc comment.
      found.set(statement.name?.text ?? '', statement);
  }
  return found;
}

interface Imported {
  readonly file: string;
  readonly name: string;
}

const imported = new Map<ts.SourceFile, Map<string, Imported>>();

/** Files that a file imports names from, by local name. Only files of this project. */
export function importsOf(source: ts.SourceFile): Map<string, Imported> {
  let found = imported.get(source);
  if (found === undefined) imported.set(source, (found = readImports(source)));
  return found;
}

function readImports(source: ts.SourceFile): Map<string, Imported> {
  const found = new Map<string, Imported>();
  for (const statement of source.statements) {
    if (!ts.isImportDeclaration(statement)) continue;
    const file = fileOf(source, statement.moduleSpecifier);
    const bindings = statement.importClause?.namedBindings;
    if (file === undefined || !bindings || !ts.isNamedImports(bindings)) continue;
    for (const { name, propertyName } of bindings.elements) found.set(name.text, { file, name: propertyName?.text ?? name.text });
  }
  return found;
}

function fileOf(source: ts.SourceFile, specifier: ts.Expression | undefined): string | undefined {
  if (!specifier || !ts.isStringLiteral(specifier) || !specifier.text.startsWith('.')) return undefined;
  const file = join(dirname(source.fileName), specifier.text);
  return existsSync(file) ? file : undefined;
}

/** An exported value: its name, and its declaration. */
export interface ExportedValue {
  readonly name: string;
  readonly declaration: Declaration;
}

/** The exported values of a module: functions, classes and constants, in order of their text. */
export function exportedValues(path: string): ExportedValue[] {
  const source = parse(path);
  return source.statements.flatMap((statement): ExportedValue[] => {
    if (ts.isExportDeclaration(statement)) return reExported(source, statement);
    const isExported = ts.canHaveModifiers(statement) && ts.getModifiers(statement)?.some((one) => one.kind === ts.SyntaxKind.ExportKeyword);
    if (!isExported) return [];
    if (ts.isVariableStatement(statement))
      return statement.declarationList.declarations.map((declaration) => ({ name: declaration.name.getText(), declaration }));
    return ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement)
      ? [{ name: statement.name?.text ?? '', declaration: statement }]
      : [];
  });
}

function reExported(source: ts.SourceFile, statement: ts.ExportDeclaration): ExportedValue[] {
  const file = fileOf(source, statement.moduleSpecifier);
  if (file === undefined || statement.isTypeOnly || !statement.exportClause || !ts.isNamedExports(statement.exportClause)) return [];
  const declarations = declarationsOf(parse(file));
  return statement.exportClause.elements
    .filter((one) => !one.isTypeOnly)
    .map(({ name, propertyName }) => {
      const wanted = (propertyName ?? name).text;
      // The file may pass on the export of another one.
      const declaration = declarations.get(wanted) ?? exportedValues(file).find((one) => one.name === wanted)?.declaration;
      if (declaration === undefined) throw new SpecError(`${file}: ${name.text} is exported and not declared there`);
      return { name: name.text, declaration };
    });
}

/** The first sentence of a doc comment; empty without one. Deprecated declarations begin with that word. */
export function firstSentence(node: ts.Node): string {
  const holder = ts.isVariableDeclaration(node) ? node.parent.parent : node;
  const [doc] = ts.getJSDocCommentsAndTags(holder).filter(ts.isJSDoc);
  const text = (ts.getTextOfJSDocComment(doc?.comment) ?? '').split(/\n\s*\n/)[0]?.replaceAll(/\s*\n\s*/g, ' ') ?? '';
  const sentence = /^.*?(?<!\b(?:e\.g|i\.e|vs))[.](?=\s|$)/.exec(text)?.[0] ?? text;
  return ts.getJSDocDeprecatedTag(holder) ? `Deprecated. ${sentence}` : sentence;
}

/** A function or method in short: the names of its parameters, and the type of its result without the mark of `Received`. */
export function signatureOf(name: string, { parameters, type }: ts.SignatureDeclaration): string {
  const names = parameters.map((one) => `${one.dotDotDotToken ? '...' : ''}${one.name.getText()}${one.questionToken || one.initializer ? '?' : ''}`);
  const result = type?.getText().replaceAll(/\s+/g, ' ') ?? 'void';
  return `${name}(${names.join(', ')}): ${result.replace(/^Promise<Received<(.+)>>$/, 'Promise<$1>')}`;
}
