import { spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Document, parse, parseDocument, stringify } from 'yaml';
import { readRecordings, recordedSource, recordingsOf, succeeded } from '../../scripts/generate/claims/recordings.ts';
import { modelsFile } from '../../scripts/generate/code/models.ts';
import { type Operation, readOperations } from '../../scripts/generate/document/operations.ts';
import { type JsonObject, type Source, SpecError, sourceOf } from '../../scripts/generate/document/source.ts';
import { compile, generate, loadSpec } from '../../scripts/generate.ts';
import { fileNames, type Part, parts, project, small, texts } from '../support/small-spec.ts';
import { failureOf } from '../support/spec.ts';

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'generate-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

const freshSmall = await compile(small);

/** A copy of the small spec with what is generated from it. */
async function temporaryTree(): Promise<string> {
  const root = await temporaryFolder();
  await mkdir(join(root, 'spec'));
  for (const part of parts) await writeFile(join(root, 'spec', fileNames[part]), texts[part]);
  for (const [path, text] of freshSmall) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  return root;
}

interface Run {
  readonly code: number | null;
  readonly out: string;
  /** Lines of standard error. */
  readonly complaints: string[];
}

/** The script as a process, as `npm run generate` runs it. */
async function run(root: string, ...flags: string[]): Promise<Run> {
  const script = ['--import', 'tsx', join(project, 'scripts/generate.ts')];
  const child = spawn(process.execPath, [...script, '--root', root, ...flags], { cwd: project });
  let out = '';
  let err = '';
  child.stdout.on('data', (block) => (out += block));
  child.stderr.on('data', (block) => (err += block));
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  return { code, out, complaints: err.split('\n').filter((line) => line !== '') };
}

/** Every file below `root` with its content and the time of its last change. */
async function snapshot(root: string): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    files.set(path, `${(await stat(path)).mtimeMs} ${await readFile(path, 'utf8')}`);
  }
  return files;
}

describe('the generator', () => {
  it('finds nothing stale in a copy of this tree: the bytes are the same every time, and in every place', async () => {
    const root = await temporaryFolder();
    for (const folder of ['spec', 'docs', 'src/generated']) await cp(join(project, folder), join(root, folder), { recursive: true });
    expect(await generate(root, true)).toMatchObject({ complaints: [], summary: expect.stringContaining(' 0 stale') });
  });

  it('writes an empty tree whole, and a second run writes nothing', async () => {
    const root = await temporaryTree();
    await rm(join(root, 'src'), { recursive: true });
    await rm(join(root, 'docs'), { recursive: true });
    expect((await generate(root, false)).complaints).toEqual([]);
    for (const [path, text] of freshSmall) expect(await readFile(join(root, path), 'utf8'), path).toBe(text);
    const before = await snapshot(root);
    expect((await generate(root, false)).summary).toContain(' 0 written');
    expect(await snapshot(root)).toEqual(before);
  });

  it('--check names each file that is stale, missing or nobody’s, and writes nothing', async () => {
    const root = await temporaryTree();
    await writeFile(join(root, 'src/generated/codes.ts'), 'export {};\n');
    await rm(join(root, 'docs/evidence.md'));
    await writeFile(join(root, 'src/generated/leftover.ts'), 'export {};\n');
    // An older layout.
    await mkdir(join(root, 'src/generated/validators'));
    await writeFile(join(root, 'src/generated/validators/gone.ts'), 'export {};\n');
    const before = await snapshot(root);
    const { code, complaints } = await run(root, '--check');
    expect(code).toBe(1);
    expect(complaints).toEqual([
      'stale: src/generated/codes.ts (run: npm run generate)',
      'stale: docs/evidence.md (run: npm run generate)',
      'not generated: src/generated/leftover.ts (delete it)',
      'not generated: src/generated/validators/gone.ts (delete it)',
    ]);
    expect(await snapshot(root)).toEqual(before);
    const said: string[] = [];
    await generate(root, false, (line) => said.push(line));
    expect(said).toEqual(['deleted: src/generated/leftover.ts (not generated)', 'deleted: src/generated/validators/gone.ts (not generated)']);
    expect(await run(root, '--check')).toMatchObject({ code: 0, complaints: [], out: expect.stringContaining(' 0 stale') });
  });

  it.each([
    ['a folder in place of a file', 'docs/api.md', (path: string) => mkdir(path)],
    ['a file in place of a folder', 'src/generated', (path: string) => writeFile(path, 'no folder')],
  ])('replaces all files or none: %s', async (_what, place, block) => {
    const root = await temporaryTree();
    for (const path of freshSmall.keys()) if (path.startsWith('docs/')) await writeFile(join(root, path), 'old');
    await rm(join(root, place), { recursive: true });
    await block(join(root, place));
    const before = await snapshot(root);
    const error = await failureOf(() => generate(root, false));
    expect(error).toBeInstanceOf(SpecError);
    expect((error as Error).message).toMatch(/^\S+: cannot be written \(E[A-Z]+\); no file is changed$/);
    expect([...(await snapshot(root))].map(([path, text]) => [path, text.slice(text.indexOf(' '))])).toEqual(
      [...before].map(([path, text]) => [path, text.slice(text.indexOf(' '))]),
    );
  });

  it.each([['--chek'], ['docs'], ['--root']])('a bad flag is one line: %s', async (flag) => {
    const { code, complaints, out } = await run(await temporaryFolder(), flag);
    expect({ code, lines: complaints.length, out }).toEqual({ code: 1, lines: 1, out: '' });
  });

  it('a change of the spec makes the tree stale, and the next run mends it', async () => {
    const root = await temporaryTree();
    const spec = join(root, 'spec/openapi.yaml');
    const text = await readFile(spec, 'utf8');
    await writeFile(spec, text.replace('summary: Create a chat completion.', 'summary: Answer a talk.'));
    expect((await generate(root, true)).complaints).toContain('stale: src/generated/routes.ts (run: npm run generate)');
    await generate(root, false);
    expect(await readFile(join(root, 'src/generated/routes.ts'), 'utf8')).toContain('Answer a talk.');
  });
});

const chat = ['paths', '/chat/completions', 'post'];
const asyncChat = ['paths', '/async/chat/completions', 'post'];
const oneFile = ['paths', '/files/{file_id}', 'delete'];
const jsonBody = ['requestBody', 'content', 'application/json'];

interface Breakage {
  readonly what: string;
  readonly part?: Part;
  readonly break: (document: Document) => void;
  /** The place in the message. */
  readonly place: readonly (string | number)[];
  readonly says: RegExp;
  /** The text of the line that the message points to. */
  readonly line: string;
}

const breakages: Breakage[] = [
  {
    what: 'a $ref that leads nowhere',
    break: (spec) => spec.setIn([...chat, ...jsonBody, 'schema', '$ref'], '#/components/schemas/Nobody'),
    place: [...chat, ...jsonBody, 'schema', '$ref'],
    says: /#\/components\/schemas\/Nobody does not exist/,
    line: 'Nobody',
  },
  {
    what: 'a $ref deep in a schema that leads nowhere',
    break: (spec) => spec.setIn(['components', 'schemas', 'Tool', 'properties', 'function', '$ref'], '#/components/schemas/Nobody'),
    place: ['components', 'schemas', 'Tool', 'properties', 'function', '$ref'],
    says: /does not exist/,
    line: 'Nobody',
  },
  {
    what: 'an operation id that is taken',
    break: (spec) => spec.setIn([...asyncChat, 'operationId'], 'chat.create'),
    place: [...asyncChat, 'operationId'],
    says: /operationId chat\.create is taken by POST \/chat\/completions/,
    line: 'operationId: chat.create',
  },
  {
    what: 'an operation without a group',
    break: (spec) => spec.deleteIn([...asyncChat, 'tags']),
    place: [...asyncChat, 'tags'],
    says: /exactly one declared group/,
    line: 'operationId: chat.createAsync',
  },
  {
    what: 'an operation of a group that nobody declared',
    break: (spec) => spec.setIn([...asyncChat, 'tags', 0], 'nonsense'),
    place: [...asyncChat, 'tags'],
    says: /exactly one declared group/,
    line: 'nonsense',
  },
  {
    what: 'a JSON operation that does not say what it expects',
    break: (spec) => spec.deleteIn([...asyncChat, 'x-expected']),
    place: [...asyncChat, 'x-expected'],
    says: /must list fields of the reply/,
    line: 'operationId: chat.createAsync',
  },
  {
    what: 'a promise that the reply has no field for',
    break: (spec) => spec.setIn([...asyncChat, 'x-expected', 0], 'nonsense'),
    place: [...asyncChat, 'x-expected'],
    says: /the reply has no field nonsense/,
    line: 'nonsense',
  },
  {
    what: 'an operation without a request example',
    break: (spec) => spec.deleteIn([...asyncChat, ...jsonBody, 'examples']),
    place: [...asyncChat, ...jsonBody],
    says: /chat\.createAsync has no request example/,
    line: 'schema:',
  },
  {
    what: 'an operation without a reply example',
    break: (spec) => spec.deleteIn([...asyncChat, 'responses', '200', 'content', 'application/json', 'examples']),
    place: [...asyncChat, 'responses', '200', 'content', 'application/json'],
    says: /chat\.createAsync has no example for 200 application\/json/,
    line: 'schema:',
  },
  {
    what: 'a request example that does not fit',
    break: (spec) => spec.setIn([...asyncChat, ...jsonBody, 'examples', 'text', 'value', 'messages'], 'hi'),
    place: [...asyncChat, ...jsonBody, 'examples', 'text', 'value', 'messages'],
    says: /the example does not fit its schema: \/messages must be array/,
    line: 'messages: hi',
  },
  {
    what: 'a reply example that does not fit',
    break: (spec) => spec.setIn([...asyncChat, 'responses', '200', 'content', 'application/json', 'examples', 'processing', 'value', 'id'], 5),
    place: [...asyncChat, 'responses', '200', 'content', 'application/json', 'examples', 'processing', 'value', 'id'],
    says: /the example does not fit its schema: \/id must be string/,
    line: 'id: 5',
  },
  {
    what: 'a stream example with a frame that is no JSON',
    break: (spec) => spec.setIn([...chat, 'responses', '200', 'content', 'text/event-stream', 'examples', 'text', 'value'], 'data: {"id":\n\n'),
    place: [...chat, 'responses', '200', 'content', 'text/event-stream', 'examples', 'text'],
    says: /a data line is not JSON/,
    line: 'value:',
  },
  {
    what: 'a keyword that the pipeline would drop',
    break: (spec) => spec.setIn(['components', 'schemas', 'Tool', 'properties', 'function', 'unevaluatedProperties'], false),
    place: ['components', 'schemas', 'Tool', 'properties', 'function', 'unevaluatedProperties'],
    says: /unsupported keyword unevaluatedProperties/,
    line: 'unevaluatedProperties',
  },
  {
    what: 'a type that is none',
    break: (spec) => spec.setIn(['components', 'schemas', 'ChatRequest', 'properties', 'seed', 'type'], 'strng'),
    place: ['components', 'schemas', 'ChatRequest', 'properties', 'seed', 'type'],
    says: /not JSON Schema/,
    line: 'strng',
  },
  {
    what: 'a pattern that is none',
    break: (spec) => spec.setIn(['components', 'schemas', 'FunctionDefinition', 'properties', 'name', 'pattern'], '^[a-z'),
    place: ['components', 'schemas', 'FunctionDefinition', 'properties', 'name', 'pattern'],
    says: /not a regular expression/,
    line: 'pattern:',
  },
  {
    what: 'a pattern that can take more than linear time',
    break: (spec) => spec.setIn(['components', 'schemas', 'FunctionDefinition', 'properties', 'name', 'pattern'], '^([a-z]+)+$'),
    place: ['components', 'schemas', 'FunctionDefinition', 'properties', 'name', 'pattern'],
    says: /may take more than linear time/,
    line: 'pattern:',
  },
  {
    what: 'a request rule that violations.ts cannot apply',
    break: (spec) => spec.setIn(['components', 'schemas', 'RerankRequest', 'properties', 'documents', 'uniqueItems'], true),
    place: ['components', 'schemas', 'RerankRequest', 'properties', 'documents', 'uniqueItems'],
    says: /the keyword uniqueItems in a request needs support/,
    line: 'uniqueItems: true',
  },
  {
    what: 'an evidence word of one’s own',
    break: (spec) => spec.setIn([...asyncChat, 'x-evidence'], 'hearsay'),
    place: [...asyncChat, 'x-evidence'],
    says: /must be one of documented, recorded, reported, sdk-only, unconfirmed/,
    line: 'hearsay',
  },
  {
    what: 'an older version of OpenAPI',
    break: (spec) => spec.set('openapi', '3.0.3'),
    place: ['openapi'],
    says: /must be 3\.1\.0, not 3\.0\.3/,
    line: '3.0.3',
  },
  {
    what: 'an older version of OpenAPI, as a number',
    break: (spec) => spec.set('openapi', 3.0),
    place: ['openapi'],
    says: /must be 3\.1\.0, not 3/,
    line: 'openapi: 3',
  },
  {
    what: 'a path parameter that is not declared',
    break: (spec) => spec.deleteIn([...oneFile, 'parameters']),
    place: [...oneFile],
    says: /the path has \{file_id\}, and no parameter of that name is declared/,
    line: 'operationId: files.delete',
  },
  {
    what: 'a path parameter that the path lacks',
    break: (spec) => spec.setIn([...oneFile, 'parameters', 0, 'name'], 'id'),
    place: [...oneFile, 'parameters', 0],
    says: /the path has no \{id\}/,
    line: 'name: id',
  },
  {
    what: 'a path parameter that may be left out',
    break: (spec) => spec.setIn([...oneFile, 'parameters', 0, 'required'], false),
    place: [...oneFile, 'parameters', 0],
    says: /a path parameter is required/,
    line: 'name: file_id',
  },
  {
    what: 'a parameter in a place that is none',
    break: (spec) => spec.setIn([...oneFile, 'parameters', 0, 'in'], 'url'),
    place: [...oneFile, 'parameters', 0, 'in'],
    says: /must be path, query or header/,
    line: 'in: url',
  },
  {
    what: 'a parameter declared twice',
    break: (spec) => spec.addIn([...oneFile, 'parameters'], spec.getIn([...oneFile, 'parameters', 0])),
    place: [...oneFile, 'parameters', 1],
    says: /file_id is declared twice/,
    line: '- ',
  },
  {
    what: 'a misspelt extension of a field',
    break: (spec) => spec.setIn(['components', 'schemas', 'ChatRequest', 'properties', 'seed', 'x-evidnce'], 'sdk-only'),
    place: ['components', 'schemas', 'ChatRequest', 'properties', 'seed', 'x-evidnce'],
    says: /unknown extension x-evidnce; use one of .*x-evidence/,
    line: 'x-evidnce',
  },
  {
    what: 'a misspelt extension of an operation',
    break: (spec) => spec.setIn([...asyncChat, 'x-bill'], true),
    place: [...asyncChat, 'x-bill'],
    says: /unknown extension x-bill;/,
    line: 'x-bill',
  },
  {
    what: 'an extension whose value would be ignored',
    break: (spec) => spec.setIn([...asyncChat, 'x-bills'], 'yes'),
    place: [...asyncChat, 'x-bills'],
    says: /must be true or false/,
    line: 'x-bills: yes',
  },
  {
    what: 'a required text of a request that may be empty',
    break: (spec) => spec.deleteIn(['components', 'schemas', 'ChatRequest', 'properties', 'model', 'minLength']),
    place: ['components', 'schemas', 'ChatRequest', 'properties', 'model'],
    says: /the required text model may be empty: add minLength: 1, or x-may-be-empty with the reason/,
    line: 'description:',
  },
  {
    what: 'a required text of a request whose pattern allows none',
    break: (spec) => spec.setIn(['components', 'schemas', 'FunctionDefinition', 'properties', 'name', 'pattern'], '^[a-z]*$'),
    place: ['components', 'schemas', 'FunctionDefinition', 'properties', 'name'],
    says: /the required text name may be empty/,
    line: 'description:',
  },
  {
    what: 'a required text of a query that may be empty',
    break: (spec) => spec.deleteIn(['paths', '/files', 'get', 'parameters', 0, 'schema', 'minLength']),
    place: ['paths', '/files', 'get', 'parameters', 0, 'schema'],
    says: /the required text purpose may be empty/,
    line: 'type: string',
  },
  {
    what: 'a word of evidence without a source',
    break: (spec) => spec.setIn(['paths', '/account/info', 'get', 'x-evidence'], 'documented'),
    place: ['paths', '/account/info', 'get'],
    says: /x-sources has no source for documented on biz/,
    line: 'operationId: account.info',
  },
  {
    what: 'a source without a date',
    break: (spec) => spec.setIn(['x-sources', 'biz', 'reported', 0], 'public captures'),
    place: ['paths', '/subscription/list', 'get'],
    says: /source public captures of operation:account\.subscriptions must end in a date/,
    line: 'operationId: account.subscriptions',
  },
  {
    what: 'a source without a word of evidence',
    break: (spec) => spec.setIn(['components', 'schemas', 'Tool', 'properties', 'type', 'x-source'], spec.createNode(['page 2026-10'])),
    place: ['components', 'schemas', 'Tool', 'properties', 'type', 'x-source'],
    says: /needs x-evidence beside it/,
    line: 'page 2026-10',
  },
  {
    what: 'a refusal without a code',
    break: (spec) => spec.deleteIn([...chat, 'x-refuses', 0, 'code']),
    place: [...chat, 'x-refuses'],
    says: /must be a list of refusals with name, when, status, code/,
    line: 'name: model_with_1m',
  },
  {
    what: 'a default without a condition',
    break: (spec) => spec.deleteIn(['components', 'schemas', 'Thinking', 'properties', 'clear_thinking', 'x-defaults', 0, 'when']),
    place: ['components', 'schemas', 'Thinking', 'properties', 'clear_thinking', 'x-defaults'],
    says: /must be a list of defaults with when and value/,
    line: 'value: true',
  },
  {
    what: 'two refusals of one name',
    break: (spec) => spec.setIn([...chat, 'x-refuses', 1, 'name'], 'model_with_1m'),
    place: [...chat, 'x-refuses', 0],
    says: /claim refusal:chat\.create\.model_with_1m is made here and at spec\/openapi\.yaml#\/paths\/~1chat~1completions\/post\/x-refuses\/model_with_1m/,
    line: 'name: model_with_1m',
  },
  {
    what: 'a refusal of a model that is not described',
    part: 'models',
    break: (models) => models.deleteIn(['refusals', 'plan']),
    place: ['refusals', 'plan'],
    says: /missing, and glm-5\.3-flashx has it/,
    line: 'tool_choice:',
  },
  {
    what: 'two prices of one name',
    part: 'models',
    break: (models) => models.setIn(['services', 1, 'name'], 'web search'),
    place: ['services', 0],
    says: /claim price:service\.web search is made here and at /,
    line: 'name: web search,',
  },
  {
    what: 'a business code of a source without a name',
    part: 'codes',
    break: (codes) => codes.setIn(['codes', 1, 'source', 1], 'hearsay'),
    place: ['codes', 1, 'source', 1],
    says: /hearsay is not among the sources/,
    line: 'hearsay',
  },
  {
    what: 'a business code with a source without a date',
    part: 'codes',
    break: (codes) => codes.setIn(['sources', 'G', 'source', 0], 'global docs'),
    place: ['codes', 1],
    says: /source global docs of code:1000 must end in a date/,
    line: 'code: "1000"',
  },
  {
    what: 'a misspelt field of a business code',
    part: 'codes',
    break: (codes) => codes.setIn(['codes', 0, 'backof'], 2),
    place: ['codes', 0, 'backof'],
    says: /unknown field backof; use one of code, status, category/,
    line: 'backof',
  },
  {
    what: 'a category that is none',
    part: 'codes',
    break: (codes) => codes.setIn(['codes', 0, 'category'], 'nonsense'),
    place: ['codes', 0, 'category'],
    says: /must be one of auth, account/,
    line: 'nonsense',
  },
  {
    what: 'a business code without a text',
    part: 'codes',
    break: (codes) => codes.deleteIn(['codes', 0, 'message']),
    place: ['codes', 0, 'message'],
    says: /missing/,
    line: 'code: "401"',
  },
  {
    what: 'a misspelt field of a model',
    part: 'models',
    break: (models) => models.setIn(['models', 1, 'contxt_tokens'], 128000),
    place: ['models', 1, 'contxt_tokens'],
    says: /unknown field contxt_tokens; use one of .*context_tokens/,
    line: 'contxt_tokens',
  },
  {
    what: 'a misspelt field of a price',
    part: 'models',
    break: (models) => models.setIn(['models', 0, 'prices', 0, 'ouput'], 1),
    place: ['models', 0, 'prices', 0, 'ouput'],
    says: /unknown field ouput; use one of input, output/,
    line: 'ouput',
  },
  {
    what: 'a word for a number of a model',
    part: 'models',
    break: (models) => models.setIn(['models', 1, 'context_tokens'], 'plenty'),
    place: ['models', 1, 'context_tokens'],
    says: /must be integer/,
    line: 'plenty',
  },
  {
    what: 'a word for a price',
    part: 'models',
    break: (models) => models.setIn(['models', 0, 'prices', 0, 'input'], 'free'),
    place: ['models', 0, 'prices', 0, 'input'],
    says: /must be number/,
    line: 'free',
  },
  {
    what: 'a price without a number',
    part: 'models',
    break: (models) => {
      for (const field of ['input', 'output']) models.deleteIn(['models', 0, 'prices', 0, field]);
    },
    place: ['models', 0, 'prices', 0, 'input'],
    says: /missing/,
    line: 'cached_input',
  },
  {
    what: 'a price without a source',
    part: 'models',
    break: (models) => models.deleteIn(['models', 0, 'prices', 0, 'source']),
    place: ['models', 0, 'prices', 0, 'source'],
    says: /missing/,
    line: 'input',
  },
  {
    what: 'a source without a date',
    part: 'models',
    break: (models) => models.setIn(['models', 0, 'source', 0], 'somewhere'),
    place: ['models', 0, 'source', 0],
    says: /must match pattern/,
    line: 'somewhere',
  },
  {
    what: 'an evidence word of one’s own for a model',
    part: 'models',
    break: (models) => models.setIn(['models', 0, 'evidence'], 'hearsay'),
    place: ['models', 0, 'evidence'],
    says: /must be one of documented, recorded/,
    line: 'hearsay',
  },
  {
    what: 'an operation whose span is undecided',
    break: (spec) => spec.deleteIn([...asyncChat, 'x-otel']),
    place: [...asyncChat, 'x-otel'],
    says: /must be none, or \{ operation, output\? \} with operation one of chat, /,
    line: 'operationId: chat.createAsync',
  },
  {
    what: 'a span with an unknown operation name',
    break: (spec) => spec.setIn([...asyncChat, 'x-otel', 'operation'], 'nonsense'),
    place: [...asyncChat, 'x-otel'],
    says: /must be none, or /,
    line: 'nonsense',
  },
  {
    what: 'two rows for one business code',
    part: 'codes',
    break: (codes) => codes.setIn(['codes', 1, 'code'], '401'),
    place: ['codes', 1, 'code'],
    says: /code 401 has two rows/,
    line: 'code: "401"',
  },
  {
    what: 'two rows for one model',
    part: 'models',
    break: (models) => models.setIn(['models', 1, 'id'], models.getIn(['models', 0, 'id'])),
    place: ['models', 1, 'id'],
    says: /has two rows/,
    line: 'id: ',
  },
  {
    what: 'a default model that the vendor is to retire',
    part: 'models',
    break: (models) => models.setIn(['defaults', 'text'], 'glm-4.5'),
    place: ['defaults', 'text'],
    says: /glm-4.5 has no row with status current/,
    line: 'glm-4.5',
  },
  {
    what: 'a model without a class of effort',
    part: 'models',
    break: (models) => {
      models.deleteIn(['effort', 'classes', 5]);
      models.setIn(['models', 0, 'thinking'], 'none');
    },
    place: ['models', 0, 'thinking'],
    says: /glm-5.3 has no class in effort/,
    line: 'thinking: none',
  },
  {
    what: 'a class of effort without a model',
    part: 'models',
    break: (models) => models.setIn(['effort', 'classes', 2, 'of', 'family'], 'GLM-9'),
    place: ['effort', 'classes', 2, 'of'],
    says: /no model has this class/,
    line: 'GLM-9',
  },
  {
    what: 'a class of effort with a field that its models refuse',
    part: 'models',
    break: (models) => models.setIn(['effort', 'classes', 0, 'chat', 'off', 'send', 'thinking', 'type'], 'disabled'),
    place: ['effort', 'classes', 0, 'chat', 'off'],
    says: /glm-5.3 refuses it/,
    line: 'off:',
  },
  {
    what: 'an unknown word of effort',
    part: 'models',
    break: (models) => models.setIn(['models', 0, 'effort', 0], 'ultra'),
    place: ['models', 0, 'effort'],
    says: /ultra is not among the words of effort/,
    line: 'ultra',
  },
  {
    what: 'a model of the plan without a row',
    part: 'models',
    break: (models) => models.setIn(['models', 0, 'plan_model'], 'glm-9'),
    place: ['models', 0, 'plan_model'],
    says: /glm-9 has no row/,
    line: 'glm-9',
  },
];

const documents: Readonly<Record<Part, Document>> = {
  openapi: parseDocument(texts.openapi),
  codes: parseDocument(texts.codes),
  models: parseDocument(texts.models),
};

/** The error of compiling the small spec with another text of one part, and the lines of that text. */
async function compileBroken(part: Part, text: string): Promise<{ error: unknown; lines: string[] }> {
  expect(text).not.toBe(texts[part]);
  return { error: await failureOf(async () => compile({ ...small, [part]: sourceOf(fileNames[part], text) })), lines: text.split('\n') };
}

function pointOf(error: unknown, file: string): { line: number; column: number; rest: string } {
  expect(error).toBeInstanceOf(SpecError);
  const { message } = error as Error;
  const [, name, line, column, rest] = /^(\S+):(\d+):(\d+): ([^\n]+)$/.exec(message) ?? [];
  expect(name, message).toMatch(new RegExp(`${file.replace('.', '\\.')}$`));
  return { line: Number(line), column: Number(column), rest: rest ?? '' };
}

describe('a broken spec is one line with its place', () => {
  it.each(breakages)('$what', async ({ part = 'openapi', break: change, place, says, line }) => {
    const document = documents[part].clone();
    change(document);
    const { error, lines } = await compileBroken(part, document.toString({ lineWidth: 0, flowCollectionPadding: false }));
    const point = pointOf(error, fileNames[part]);
    expect(point.rest.startsWith(`${place.join(' > ')}: `), point.rest).toBe(true);
    expect(point.rest).toMatch(says);
    expect(lines[point.line - 1]?.slice(point.column - 1) ?? '').not.toBe('');
    expect(lines[point.line - 1]).toContain(line);
  });

  it.each([
    ['a bracket that is never closed', (text: string) => text.replace('tags: [chat]', 'tags: [chat'), 'summary:'],
    [
      'a key twice',
      (text: string) => text.replace('      operationId: chat.create\n', '      operationId: chat.create\n      operationId: chat.again\n'),
      'chat.again',
    ],
    [
      'a tab as indent',
      (text: string) => text.replace('      operationId: chat.create\n', '\toperationId: chat.create\n'),
      'operationId: chat.create',
    ],
  ])('YAML with %s', async (_what, change, line) => {
    const { error, lines } = await compileBroken('openapi', change(texts.openapi));
    expect(lines[pointOf(error, 'openapi.yaml').line - 1]).toContain(line);
  });

  it('a file that is not there', async () => {
    const error = await failureOf(async () => loadSpec(await temporaryFolder()));
    expect(error).toBeInstanceOf(SpecError);
    expect((error as Error).message).toMatch(/^\S+models\.yaml: cannot be read$/);
  });

  it('a word of a list of models that no model has', async () => {
    const root = await temporaryTree();
    const text = texts.openapi.replace('      operationId: chat.create\n', '      x: [a] # models.yaml: chats\n      operationId: chat.create\n');
    await writeFile(join(root, 'spec/openapi.yaml'), text);
    const error = await failureOf(() => loadSpec(join(root, 'spec')));
    expect((error as Error).message).toBe('spec/openapi.yaml: # models.yaml: chats: no model has this word in listed');
  });

  it('the script prints that line alone, fails, and writes nothing', async () => {
    const root = await temporaryTree();
    const spec = join(root, 'spec/openapi.yaml');
    const text = await readFile(spec, 'utf8');
    // The tree is stale as well, so that a run that began to write would show.
    await writeFile(
      spec,
      text
        .replace('summary: Create a chat completion.', 'summary: Answer a talk.')
        .replace('operationId: chat.createAsync', 'operationId: chat.create'),
    );
    const before = await snapshot(root);
    const { code, complaints, out } = await run(root);
    expect(code).toBe(1);
    expect(complaints).toHaveLength(1);
    expect(complaints[0]).toMatch(/openapi\.yaml:\d+:\d+: paths > \/async\/chat\/completions > post > operationId: /);
    expect(out).toBe('');
    expect(await snapshot(root)).toEqual(before);
  });
});

describe('the claims', () => {
  it('keep their ids, places and values when rows move', async () => {
    const reversed = (part: Part, ...lists: string[]): Source => {
      const value = parse(texts[part]) as Record<string, unknown[]>;
      const moved = lists.map((list) => [list, [...(value[list] ?? [])].reverse()]);
      return sourceOf(fileNames[part], stringify({ ...value, ...Object.fromEntries(moved) }));
    };
    const moved = { ...small, models: reversed('models', 'models', 'services'), codes: reversed('codes', 'codes') };
    expect((await compile(moved)).get('docs/evidence.json')).toBe(freshSmall.get('docs/evidence.json'));
  });

  it('date a recorded field by the newest file that has it, one exchange or a list', async () => {
    const folder = await temporaryFolder();
    const exchange = (date: object, body: object): object => ({
      request: { method: 'GET', path: '/api/paas/v4/files?page=1' },
      response: { status: 200, headers: date, body },
    });
    const body = { object: 'list', data: [] };
    await writeFile(join(folder, 'one.json'), JSON.stringify(exchange({ date: 'Fri, 10 Jul 2026 23:00:15 GMT' }, body)));
    await writeFile(
      join(folder, 'two.json'),
      JSON.stringify({ confirm: { date: '2026-11-20' }, exchanges: [exchange({}, body), exchange({}, { error: { code: '1113' } })] }),
    );
    await writeFile(join(folder, 'undated.json'), JSON.stringify(exchange({}, body)));
    const [list] = readOperations(small.openapi).filter(({ id }) => id === 'files.list');
    const found = recordingsOf(small.openapi, list as Operation, await readRecordings(folder));
    expect(found.map(({ file, date }) => `${file} ${date}`)).toEqual([
      'one.json 2026-07-10',
      'two.json 2026-11-20',
      'two.json 2026-11-20',
      'undated.json undefined',
    ]);
    expect(found.map(succeeded)).toEqual([true, true, false, true]);
    expect(recordedSource(found)).toEqual(['recording two.json 2026-11-20']);
  });
});

describe('the catalogue', () => {
  /** The row of a model with these claims of prices. */
  function rowOf(prices: JsonObject[]): { readonly price?: object; readonly source: string[]; readonly as_of: string } {
    const model = { id: 'm', kind: 'chat', evidence: 'reported', source: ['list 2026-10', 'list 2026-10-09'], prices };
    const text = modelsFile({ ...small.models, value: { ...small.models.value, models: [model] } });
    return JSON.parse(/^ {2}(\{"id":"m".*\}),$/m.exec(text)?.[1] ?? '');
  }
  const claim = (input: number, output: number, source: string): JsonObject => ({ input, output, evidence: 'documented', source: [source] });

  it('has no price where some sources list the model at 0 and others do not, whichever comes first', () => {
    const free = claim(0, 0, 'page 2026-11');
    const paid = claim(1, 2, 'table 2026-07-01');
    for (const prices of [
      [free, paid],
      [paid, free],
      [paid, claim(3, 4, 'page 2026-09'), free],
    ]) {
      expect(rowOf(prices)).not.toHaveProperty('price');
      expect(rowOf(prices).source).toEqual(['list 2026-10', 'list 2026-10-09']);
    }
    expect(rowOf([free, claim(0, 0, 'table 2026-07-01')]).price).toEqual({ input: 0, output: 0 });
    // A price of 0 for one kind of token is no dispute.
    expect(rowOf([paid, claim(0, 2, 'page 2026-09')]).price).toEqual({ input: 1, output: 2 });
  });

  it('has the newest date of the id and of the price that counts', () => {
    expect(rowOf([claim(1, 2, 'page 2026-09'), claim(3, 4, 'table 2026-11-30')])).toMatchObject({
      source: ['list 2026-10', 'list 2026-10-09', 'page 2026-09'],
      as_of: '2026-10-09',
    });
    expect(rowOf([claim(1, 2, 'page 2026-11')]).as_of).toBe('2026-11');
  });
});

it('a new model is one row: the lists of the document get it from there', async () => {
  const root = await temporaryFolder();
  await cp(join(project, 'spec'), join(root, 'spec'), { recursive: true });
  const models = await readFile(join(root, 'spec/models.yaml'), 'utf8');
  const [row = ''] = /^ {2}- id: glm-5\.3\n(?: {4}.*\n)+/m.exec(models) ?? [];
  await writeFile(join(root, 'spec/models.yaml'), models.replace(row, row.replace('glm-5.3', 'glm-0') + row));
  const { openapi } = await loadSpec(join(root, 'spec'));
  expect(openapi.text.match(/\[glm-0, .*\] # models\.yaml: \w+$/gm)?.map((line) => line.split(': ').at(-1))).toEqual([
    'chat',
    'limited',
    'async',
    'messages',
    'messages',
    'responses',
  ]);
});
