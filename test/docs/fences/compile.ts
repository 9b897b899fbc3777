import { entries } from '../../../scripts/entries.ts';
import ts from '../../../scripts/typescript.mjs';
import { root, type Snippet } from '../snippets.ts';

/** Diagnostics of the compiler for snippets, each a module of its own in `folder`, as `file:line message`. */
export function diagnosticsOf(list: readonly Snippet[], folder = 'test/docs/'): string[] {
  const virtual = new Map(list.map((snippet, index) => [`${root}${folder}snippet-${index}.ts`, snippet]));
  const read = ts.readConfigFile(`${root}tsconfig.json`, ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(read.config, ts.sys, root);
  const paths = Object.fromEntries(Object.entries(entries).map(([name, source]) => [name, [`${root}${source}`]]));
  const host = ts.createCompilerHost(options);
  // Without the doc comments that give no error.
  host.jsDocParsingMode = ts.JSDocParsingMode.ParseForTypeErrors;
  const { fileExists, readFile } = host;
  host.fileExists = (file) => virtual.has(file) || fileExists(file);
  host.readFile = (file) => virtual.get(file)?.code ?? readFile(file);
  const program = ts.createProgram(
    [...virtual.keys()],
    { ...options, paths: { ...options.paths, ...paths }, moduleDetection: ts.ModuleDetectionKind.Force },
    host,
  );
  return [...virtual].flatMap(([file, snippet]) => {
    const source = program.getSourceFile(file);
    if (!source) return [`${snippet.file}:${snippet.line} was not compiled`];
    const found = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
    return found.map(({ start = 0, messageText }) => {
      const line = snippet.line + source.getLineAndCharacterOfPosition(start).line;
      return `${snippet.file}:${line} ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
    });
  });
}
