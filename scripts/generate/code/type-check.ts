/** The generated files through the type checker, in memory. A parser is not enough: a name that is declared nowhere has good syntax. */
import { basename } from 'node:path';
import ts from '../../typescript.mjs';
import { isObject, resolve, type Source, type SpecError } from '../document/source.ts';

const folder = '/generated/';

const options: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  lib: ['lib.es2023.d.ts', 'lib.dom.d.ts'],
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  allowImportingTsExtensions: true,
  noEmit: true,
  strict: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: true,
  skipDefaultLibCheck: true,
  types: [],
};

/** The files of the language, parsed once for all runs of a process. */
const libraries = new Map<string, ts.SourceFile | undefined>();

/** Refuses files of `src/generated` that do not compile. The message names the schema whose declaration is wrong, if it is one. */
export function checkTypes(source: Source, files: ReadonlyMap<string, string>): void {
  const texts = new Map([...files].filter(([path]) => path.startsWith('src/generated/')).map(([path, text]) => [folder + basename(path), text]));
  const host = ts.createCompilerHost(options);
  const { getSourceFile } = host;
  host.getSourceFile = (path, ...rest) => {
    const text = texts.get(path);
    if (text !== undefined) return ts.createSourceFile(path, text, ...(rest as [ts.ScriptTarget]));
    if (!libraries.has(path)) libraries.set(path, getSourceFile.call(host, path, ...rest));
    return libraries.get(path);
  };
  const { fileExists } = host;
  host.fileExists = (path) => texts.has(path) || fileExists.call(host, path);
  // Without this answer the compiler looks for files in folders that the disk has.
  host.directoryExists = () => true;
  const program = ts.createProgram({ rootNames: [...texts.keys()], options, host });
  for (const path of texts.keys()) {
    const file = program.getSourceFile(path);
    const [first] = file ? [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)] : [];
    if (file && first) throw problem(source, file, first);
  }
}

function problem(source: Source, file: ts.SourceFile, { start = 0, messageText }: ts.Diagnostic): SpecError {
  const { line } = file.getLineAndCharacterOfPosition(start);
  const text = `src/generated/${basename(file.fileName)}:${line + 1} would not compile: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
  // The name of a declaration in types.ts, or one that the message is about.
  const schemas = resolve(source.value, '#/components/schemas');
  const mentioned = [...text.matchAll(/'(\w+)'/g)].map(([, one = '']) => one).find((one) => isObject(schemas) && Object.hasOwn(schemas, one));
  const holder = file.statements.find((one) => one.pos <= start && start < one.end);
  const name = holder && (ts.isInterfaceDeclaration(holder) || ts.isTypeAliasDeclaration(holder)) ? holder.name.text : undefined;
  const schema = file.fileName.endsWith('/types.ts') ? name : mentioned;
  return source.error(schema === undefined ? [] : ['components', 'schemas', schema], text);
}
