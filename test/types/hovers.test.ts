import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { beforeAll, describe, expect, it } from 'vitest';

/** A user's program against the built package. The name of each constant is hovered over. */
const program = `
import { newClient } from 'modelsvc';
export const client = newClient({ apiKey: 'key' });
const request = { model: 'glm-4.6', messages: [{ role: 'user', content: 'hi' }] };
export const reply = await client.chat().create(undefined, request);
const usage = reply.usage;
const message = reply.choices[0]!.message;
for await (const chunk of client.chat().stream(undefined, request)) chunk;
const anthropicReply = await client.anthropic().create(undefined, { ...request, max_tokens: 64 });
const block = anthropicReply.content[0]!;
for await (const event of client.anthropic().stream(undefined, { ...request, max_tokens: 64 })) event;
const embeddings = await client.embeddings().create(undefined, { model: 'embedding-3', input: 'hi' });
const models = await client.models().list(undefined);
const model = models.data[0]!;
const bindings = client.bindings('chat');
const file = await client.files().upload(undefined, { file: new Blob(), purpose: 'batch' });
`;
const file = fileURLToPath(new URL('hovered.ts', import.meta.url));

let service: ts.LanguageService;
beforeAll(() => {
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    strict: true,
    declaration: true,
    exactOptionalPropertyTypes: true,
    types: ['node'],
  };
  const read = (name: string): string | undefined => (name === file ? program : ts.sys.readFile(name));
  service = ts.createLanguageService({
    getCompilationSettings: () => options,
    getScriptFileNames: () => [file],
    getScriptVersion: () => '1',
    getScriptSnapshot: (name) => {
      const text = read(name);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    getCurrentDirectory: () => fileURLToPath(new URL('../..', import.meta.url)),
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: (name) => name === file || ts.sys.fileExists(name),
    readFile: read,
    directoryExists: ts.sys.directoryExists,
    getDirectories: ts.sys.getDirectories,
  });
});

/** The text an editor shows over the constant `name`. */
function hover(name: string): string {
  const info = service.getQuickInfoAtPosition(file, program.indexOf(`const ${name} `) + 'const '.length);
  return ts.displayPartsToString(info?.displayParts);
}

describe('an editor', () => {
  it('finds no error in the program', () => {
    const found = [...service.getSyntacticDiagnostics(file), ...service.getSemanticDiagnostics(file)];
    expect(found.map((one) => ts.flattenDiagnosticMessageText(one.messageText, '\n'))).toEqual([]);
  });

  it.each([
    ['client', 'const client: Client'],
    ['reply', 'const reply: ChatResponse'],
    ['usage', 'const usage: ChatUsage | undefined'],
    ['message', 'const message: ChatResponseMessage'],
    ['chunk', 'const chunk: ChatChunk'],
    ['anthropicReply', 'const anthropicReply: AnthropicReply'],
    ['block', 'const block: AnthropicResponseBlock'],
    ['event', 'const event: AnthropicStreamEvent'],
    ['embeddings', 'const embeddings: EmbeddingResponse'],
    ['model', 'const model: ModelInfo'],
    ['bindings', 'const bindings: Bindings<"chat">'],
    ['file', 'const file: FileObject'],
  ])('shows the name of the type of %s', (name, text) => {
    expect(hover(name)).toBe(text);
  });

  it('shows the doc comment of a field', () => {
    const info = service.getQuickInfoAtPosition(file, program.indexOf('reply.usage') + 'reply.'.length);
    expect(ts.displayPartsToString(info?.documentation)).toBe('Token counts.');
    expect(info?.tags).toBeUndefined();
  });
});

it('an emitted declaration names the type of a reply', () => {
  const emitted = service.getEmitOutput(file, true).outputFiles.find((one) => one.name.endsWith('.d.ts'));
  expect(emitted?.text).toContain('export declare const reply: import("modelsvc").ChatResponse;');
});
