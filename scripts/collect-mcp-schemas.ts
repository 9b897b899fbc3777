/**
 * Start real MCP servers over stdio, list their tools, and write their input schemas to `test/corpus/mcp-tools.json`. The tests of
 * the schema normalizer read this file. Only this script needs a package registry.
 *
 *     npx tsx scripts/collect-mcp-schemas.ts
 *
 * The servers get placeholder credentials, an empty home folder and no other environment variables except PATH. They only list their tools.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

interface Server {
  readonly package: string;
  readonly bin?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Servers that list their tools without an account or a network. */
const servers: readonly Server[] = [
  { package: '@modelcontextprotocol/server-everything', args: ['stdio'] },
  { package: '@modelcontextprotocol/server-filesystem', args: ['.'] },
  { package: '@modelcontextprotocol/server-memory' },
  { package: '@modelcontextprotocol/server-sequential-thinking' },
  { package: '@playwright/mcp', args: ['--headless'] },
  { package: 'chrome-devtools-mcp', args: ['--headless'] },
  { package: '@notionhq/notion-mcp-server', env: { NOTION_TOKEN: 'placeholder' } },
  { package: '@upstash/context7-mcp' },
  { package: 'tavily-mcp', env: { TAVILY_API_KEY: 'placeholder' } },
  { package: '@brave/brave-search-mcp-server', args: ['--transport', 'stdio'], env: { BRAVE_API_KEY: 'placeholder' } },
  { package: '@zereight/mcp-gitlab', env: { GITLAB_PERSONAL_ACCESS_TOKEN: 'placeholder', GITLAB_API_URL: 'http://127.0.0.1:9' } },
  {
    package: 'mongodb-mcp-server',
    args: ['--telemetry', 'disabled'],
    env: { MDB_MCP_API_CLIENT_ID: 'placeholder', MDB_MCP_API_CLIENT_SECRET: 'placeholder' },
  },
  { package: 'figma-developer-mcp', args: ['--stdio'], env: { FIGMA_API_KEY: 'placeholder' } },
  { package: '@elastic/mcp-server-elasticsearch', env: { ES_URL: 'http://127.0.0.1:9', ES_API_KEY: 'placeholder' } },
  { package: 'mcp-server-kubernetes' },
];

const output = fileURLToPath(new URL('../test/corpus/mcp-tools.json', import.meta.url));
const startMs = 30_000;
const run = promisify(execFile);

/** The complete environment of a server. */
function environment(home: string, server: Server): Record<string, string> {
  return { PATH: process.env['PATH'] ?? '', HOME: home, DO_NOT_TRACK: '1', NO_COLOR: '1', ...server.env };
}

interface Source {
  readonly package: string;
  readonly version: unknown;
  readonly licence: unknown;
  readonly tools: readonly object[];
}

/** One line per tool, so that a changed tool changes one line of the diff. */
function corpusText(sources: readonly Source[]): string {
  const blocks = sources.map(({ tools, ...facts }) => {
    const lines = tools.map((tool) => `  ${JSON.stringify(tool)}`).join(',\n');
    return `{${JSON.stringify(facts).slice(1, -1)},"tools":[\n${lines}\n]}`;
  });
  return `{"about":"Tool input schemas of published MCP servers, taken by scripts/collect-mcp-schemas.ts","sources":[\n${blocks.join(',\n')}\n]}\n`;
}

async function licenceOf(root: string, said: unknown): Promise<unknown> {
  if (typeof said === 'string' && !said.startsWith('SEE ')) return said;
  const text = await readFile(join(root, 'LICENSE'), 'utf8').catch(() => '');
  const named = [/Apache License/i.test(text) && 'Apache-2.0', /MIT License/i.test(text) && 'MIT'].filter(Boolean);
  return named.length > 0 ? named.join(' OR ') : said;
}

async function listTools(server: Server, folder: string): Promise<Source> {
  const root = join(folder, 'node_modules', server.package);
  const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as Record<string, unknown>;
  const bins = typeof manifest['bin'] === 'string' ? { only: manifest['bin'] } : (manifest['bin'] as Record<string, string>);
  const script = server.bin === undefined ? Object.values(bins)[0] : bins[server.bin];
  if (script === undefined) throw new Error('the package has no bin entry');
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [join(root, script), ...(server.args ?? [])],
    env: environment(folder, server),
    cwd: folder,
    stderr: 'ignore',
  });
  const client = new Client({ name: 'schema-corpus', version: '1.0.0' });
  try {
    await client.connect(transport, { timeout: startMs });
    const tools: { name: string; inputSchema: unknown }[] = [];
    let cursor: string | undefined;
    do {
      const page = await client.listTools(cursor === undefined ? {} : { cursor }, { timeout: startMs });
      tools.push(...page.tools.map(({ name, inputSchema }) => ({ name, inputSchema })));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    return { package: server.package, version: manifest['version'], licence: await licenceOf(root, manifest['license']), tools };
  } finally {
    await client.close();
  }
}

async function main(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'mcp-servers-'));
  const packages = servers.map((server) => server.package);
  try {
    await run('npm', ['install', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund', ...packages], { maxBuffer: 1 << 26 });
    const sources: Source[] = [];
    for (const server of servers) {
      try {
        sources.push(await listTools(server, folder));
        console.log(`${server.package}: ok`);
      } catch (error) {
        console.log(`${server.package}: left out, ${error instanceof Error ? error.message : String(error)}`);
      }
    }
    await writeFile(output, corpusText(sources));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

await main();
