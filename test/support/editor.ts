import { fileURLToPath } from 'node:url';
import ts from '../../scripts/typescript.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const file = fileURLToPath(new URL('../types/program.ts', import.meta.url));

/** The options of a careful user. */
export const strict: ts.CompilerOptions = { strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true };
/** The compiler's defaults. Modules are always strict code: said here, so that both sets of options share parsed files. */
export const loose: ts.CompilerOptions = { strict: false, alwaysStrict: true };

/** A user's program against the built package, as an editor with TypeScript sees it. */
export class Editor {
  readonly program: string;
  readonly #file: string;
  readonly #service: ts.LanguageService;

  constructor(program: string, name: string = file, service: ts.LanguageService = serviceOf(new Map([[name, program]]))) {
    this.program = program;
    this.#file = name;
    this.#service = service;
  }

  /** The errors of the program, each as `<line>: <message>`. */
  errors(): string[] {
    return errorsOf(this.#service, this.#file, this.program);
  }

  /** The errors in the declarations of the package. */
  packageErrors(): string[] {
    const files = this.#service.getProgram()?.getSourceFiles() ?? [];
    const own = files.filter(({ fileName }) => fileName.startsWith(`${root}dist/`));
    return own
      .flatMap(({ fileName }) => this.#service.getSemanticDiagnostics(fileName))
      .map((one) => ts.flattenDiagnosticMessageText(one.messageText, '\n'));
  }

  /** The text shown over the first place of `text` in the program, at its last name. */
  hover(text: string): string {
    return ts.displayPartsToString(this.#infoAt(text)?.displayParts);
  }

  /** The doc comment shown there. */
  comment(text: string): { readonly text: string; readonly tags: readonly string[] } {
    const info = this.#infoAt(text);
    return { text: ts.displayPartsToString(info?.documentation), tags: (info?.tags ?? []).map((tag) => tag.name) };
  }

  /** The names offered after `text`. */
  completions(text: string): string[] {
    const list = this.#service.getCompletionsAtPosition(this.#file, this.#end(text), {});
    return (list?.entries ?? []).map((entry) => entry.name);
  }

  /** The forms of the function that are shown after `text`. */
  forms(text: string): readonly Form[] {
    return (this.#service.getSignatureHelpItems(this.#file, this.#end(text), undefined)?.items ?? []).map(({ parameters, documentation }) => ({
      comment: ts.displayPartsToString(documentation),
      parameters: parameters.map((one) => ts.displayPartsToString(one.displayParts)),
      parameterComments: parameters.map((one) => ts.displayPartsToString(one.documentation)),
    }));
  }

  /** The declarations that the compiler emits for the program. */
  declarations(): string {
    return this.#service.getEmitOutput(this.#file, true).outputFiles.find((one) => one.name.endsWith('.d.ts'))?.text ?? '';
  }

  #infoAt(text: string): ts.QuickInfo | undefined {
    return this.#service.getQuickInfoAtPosition(this.#file, this.#end(text) - 1);
  }

  #end(text: string): number {
    const start = this.program.indexOf(text);
    if (start < 0) throw new Error(`the program has no ${text}`);
    return start + text.length;
  }
}

/** A form of a function: its doc comment, and its parameters as in the declaration, each with its text. */
interface Form {
  readonly comment: string;
  readonly parameters: readonly string[];
  readonly parameterComments: readonly string[];
}

/** Several programs, compiled together: they share the types of the package. */
export function editorsOf(programs: readonly string[], own?: ts.CompilerOptions): Editor[] {
  const files = new Map(programs.map((program, index) => [file.replace('.ts', `-${index}.ts`), program]));
  const service = serviceOf(files, own);
  return [...files].map(([name, program]) => new Editor(program, name, service));
}

function serviceOf(files: ReadonlyMap<string, string>, own: ts.CompilerOptions = strict): ts.LanguageService {
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    skipLibCheck: false,
    declaration: true,
    types: ['node'],
    ...own,
  };
  const version = String(++services);
  const read = (name: string): string | undefined => files.get(name) ?? ts.sys.readFile(name);
  const host: ts.LanguageServiceHost = {
    getCompilationSettings: () => options,
    getScriptFileNames: () => [...files.keys()],
    getScriptVersion: (name) => (files.has(name) ? version : ''),
    getScriptSnapshot: (name) => {
      const text = read(name);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    getCurrentDirectory: () => root,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: (name) => files.has(name) || ts.sys.fileExists(name),
    readFile: read,
    directoryExists: ts.sys.directoryExists,
    getDirectories: ts.sys.getDirectories,
  };
  return ts.createLanguageService(host, registry);
}

function errorsOf(service: ts.LanguageService, name: string, program: string): string[] {
  const found = [...service.getSyntacticDiagnostics(name), ...service.getSemanticDiagnostics(name)];
  return found.map(({ start = 0, messageText, relatedInformation = [] }) => {
    const related = relatedInformation.map((one) => ts.flattenDiagnosticMessageText(one.messageText, '\n'));
    const line = program.split('\n')[program.slice(0, start).split('\n').length - 1]?.trim() ?? '';
    return [`${line}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`, ...related].join('\n');
  });
}

// Shared, so that the declarations of libraries are parsed once for each set of options.
const registry = ts.createDocumentRegistry();
let services = 0;
