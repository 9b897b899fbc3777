import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import ts from 'typescript';
import { describe, expect, it, onTestFinished } from 'vitest';
import { resolveConfig } from '../../src/overlay/call/settings.ts';
import { isConfigError, newClient, version } from '../../src/overlay/index.ts';
import { type FakeService, fakeKey, startFakeService } from '../../src/testing/index.ts';
import { failureOf } from '../support/spec.ts';
import { cellsOf, pages, root, type Snippet, snippetsOf, textOf } from './snippets.ts';

/** The entries of the package, and the sources they are built from. */
const entries: Readonly<Record<string, string>> = {
  modelsvc: 'src/overlay/index.ts',
  'modelsvc/testing': 'src/testing/index.ts',
  'modelsvc/mcp': 'src/mcp/index.ts',
  'modelsvc/node': 'src/node/index.ts',
  'modelsvc/debug': 'src/debug/index.ts',
  'modelsvc/fetch': 'src/fetch/index.ts',
  'modelsvc/observe': 'src/observe/index.ts',
};

const snippets = pages().flatMap((file) => snippetsOf(file, 'ts'));
const placeOf = ({ file, line }: Snippet): string => `${file}:${line}`;

describe('snippets', () => {
  it('are there', () => {
    expect(snippets.filter((one) => one.file === 'README.md').length).toBeGreaterThanOrEqual(2);
  });

  it('compile against the sources', () => {
    expect(diagnosticsOf(snippets)).toEqual([]);
  }, 60_000);

  it('would not compile if they were wrong', () => {
    const wrong = "import { newClient, noSuchName } from 'modelsvc';\nnewClient({ apiKey: 5 });\n";
    const found = diagnosticsOf([{ file: 'wrong.md', line: 1, code: wrong }]);
    expect(found.map((one) => one.split(' ')[0])).toEqual(['wrong.md:1', 'wrong.md:2']);
  }, 60_000);
});

describe('the README, run', () => {
  const [quickStart, failures] = snippetsOf('README.md', 'ts') as [Snippet, Snippet];

  it('the quick start shows what both surfaces say', async () => {
    const fake = await startFake();
    fake.chat.reply({ text: 'Rain on the window', usage: { input: 5, output: 37 } }).reply({ text: ['Snow ', 'on the ', 'roof'] });
    fake.messages.reply('No: 7 times 13.');
    const { output, errors, code } = await run(quickStart, fake);
    expect({ errors, code }).toEqual({ errors: '', code: 0 });
    expect(output).toBe('Rain on the window 42\nSnow on the roofNo: 7 times 13.\n');
    expect(fake.requests.map((one) => one.operation)).toEqual(['chat.create', 'chat.create', 'anthropic.create']);
  });

  it('the part on failures is silent when all is well', async () => {
    const fake = await startFake();
    expect(await run(failures, fake)).toEqual({ output: '', errors: '', code: 0 });
    expect(fake.requests).toHaveLength(1);
  });

  it('the part on failures tells a used-up quota from the rest', async () => {
    const fake = await startFake();
    fake.answer('chat.create', { status: 429, body: { error: { code: '1308', message: 'Limit reached.' } }, headers: { 'retry-after': '90' } });
    const { output, code } = await run(failures, fake);
    expect(output).toMatch(/^wait 90000 chat\.create: Limit reached\./);
    expect(code).toBe(0);
    fake.answer('chat.create', { status: 400, body: { error: { code: '1210', message: 'Wrong parameter.' } } });
    const thrown = await run(failures, fake);
    expect(thrown.code).toBe(1);
    expect(thrown.errors).toContain('ApiError: chat.create: Wrong parameter.');
    expect(thrown.errors).not.toContain(fakeKey);
  });
});

describe('what the README says', () => {
  const readme = textOf('README.md');
  const configTable = /^\| field \| default \|.*\n.*\n((?:\|.*\n)+)/m.exec(readme)?.[1] ?? '';
  const configRows = configTable.trim().split('\n').map(cellsOf);

  it('names every field of Config, and no other', () => {
    const source = ts.createSourceFile('config.ts', textOf('src/overlay/config.ts'), ts.ScriptTarget.Latest, true);
    const config = source.statements.find((one): one is ts.InterfaceDeclaration => ts.isInterfaceDeclaration(one) && one.name.text === 'Config');
    const fields = config?.members.map((member) => `\`${member.name?.getText()}\``);
    expect(configRows.map(([field]) => field).sort()).toEqual(fields?.sort());
  });

  it('gives the defaults that a Config resolves to', async () => {
    const settings = resolveConfig({ apiKey: 'any' });
    const told = Object.fromEntries(configRows.map(([field = '', text = '']) => [field.replaceAll('`', ''), text]));
    const milliseconds = (value: number): string => String(value).replace(/\B(?=(\d{3})+$)/g, ' ');
    const bytes = (value: number): string => (value % 1024 ** 2 === 0 ? `${value / 1024 ** 2} MiB` : `${value / 1024} KiB`);
    expect(isConfigError(await failureOf(() => newClient({} as never)))).toBe(true);
    expect(told).toEqual({
      apiKey: 'required',
      baseURL: `\`${settings.endpoints.chat.root}\``,
      httpClient: '`node:http(s)` on Node, `fetch` elsewhere',
      timeout: milliseconds(settings.timeoutMs),
      maxRetries: String(settings.maxRetries),
      retryDelay: milliseconds(settings.retryDelayMs),
      chinaAPIKey: settings.chinaAPIKey === settings.apiKey ? '`apiKey`' : 'another key',
      region: settings.endpoints.monitor.root.startsWith('https://api.z.ai/') ? '`RegionGlobal`' : 'another',
      userAgent: `\`${settings.userAgent.replace(version, '<version>')}\``,
      headers: settings.headers === undefined ? 'none' : 'some',
      ca: settings.config.ca === undefined ? 'none' : 'some',
      agent: settings.config.agent === undefined ? 'one of the package' : 'another',
      dangerouslyAllowBrowser: String(settings.config.dangerouslyAllowBrowser ?? false),
      hooks: settings.hooks.length === 0 ? 'none' : 'some',
      disableToolSchemaCompat: String(settings.disableToolSchemaCompat),
      endpoints: "the service's",
      streamIdleTimeout: milliseconds(settings.streamIdleMs),
      streamContentTimeout: milliseconds(settings.streamContentMs),
      maxReplyBytes: bytes(settings.maxReplyBytes),
      maxEventBytes: bytes(settings.maxEventBytes),
      maxBufferedBytes: bytes(settings.maxBufferedBytes),
      maxErrorBytes: bytes(settings.maxErrorBytes),
      concurrency: settings.gates === undefined ? 'no limit' : 'some',
      // Only the transport has it.
      maxSockets: /config\.maxSockets\) \?\? (\d+)/.exec(textOf('src/overlay/call/settings.ts'))?.[1],
    });
  });
});

async function startFake(): Promise<FakeService> {
  const fake = await startFakeService();
  onTestFinished(() => fake.close());
  return fake;
}

/** Run a snippet in a process of its own that cannot leave this machine, as a user would with the two variables set. */
async function run(snippet: Snippet, fake: FakeService): Promise<{ output: string; errors: string; code: number | null }> {
  const folder = await mkdtemp(join(tmpdir(), 'modelsvc-snippet-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'snippet.mts');
  await writeFile(file, runnable(snippet));
  const guard = pathToFileURL(`${root}test/support/loopback-only.ts`).href;
  const child = spawn(process.execPath, ['--import', 'tsx', '--import', guard, file], {
    cwd: root,
    // Of this environment no proxy, no key and no option of Node.
    env: { PATH: process.env['PATH'], SVC_API_KEY: fakeKey, SVC_API_BASE_URL: fake.url },
  });
  let output = '';
  let errors = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  return { output, errors, code };
}

/** The snippet over the sources. Only one thing is changed: a client with the service's own roots gets those of the fake. */
function runnable({ code }: Snippet): string {
  const pointed = code.replaceAll(/newClient\(\{ apiKey: .*? \}\)/g, 'newClient(configFor(process.env.SVC_API_BASE_URL!))');
  const imports = `import { configFor } from 'modelsvc/testing';\n`;
  return (imports + pointed).replaceAll(/from '(modelsvc[^']*)'/g, (_, entry: string) => `from '${pathToFileURL(root + entries[entry]).href}'`);
}

/** What the compiler says of the snippets, each a module of its own beside the sources, as `file:line message`. */
function diagnosticsOf(list: readonly Snippet[]): string[] {
  const virtual = new Map(list.map((snippet, index) => [`${root}test/docs/snippet-${index}.ts`, snippet]));
  const read = ts.readConfigFile(`${root}tsconfig.json`, ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(read.config, ts.sys, root);
  const paths = Object.fromEntries(Object.entries(entries).map(([name, source]) => [name, [`${root}${source}`]]));
  const host = ts.createCompilerHost(options);
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
    if (!source) return [`${placeOf(snippet)} was not compiled`];
    const found = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
    return found.map(({ start = 0, messageText }) => {
      const line = snippet.line + source.getLineAndCharacterOfPosition(start).line;
      return `${snippet.file}:${line} ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
    });
  });
}
