// The MCP servers of the coding plan.
import type { RegionName } from '../hosts.ts';
import type { KeySource } from './key-source.ts';

/** An MCP server, as the definition of a tool gets it. */
export type McpServer = HttpServer | StdioServer;

export interface HttpServer {
  readonly kind: 'http';
  readonly name: string;
  readonly url: string;
  /** The key for the header `Authorization: Bearer KEY`. */
  readonly key: KeySource;
}

export interface StdioServer {
  readonly kind: 'stdio';
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Variable of the server's process that takes the key. */
  readonly keyVariable: string;
  readonly key: KeySource;
}

export const serverNames = ['search', 'reader', 'zread', 'vision'] as const;
export type ServerName = (typeof serverNames)[number];

export const serverSummaries: Readonly<Record<ServerName, string>> = {
  search: 'Search the web',
  reader: 'Read a web page',
  zread: 'Read public repositories: files, structure, documentation',
  vision: 'Look at images and videos; runs on this machine with npx',
};

const paths: Readonly<Record<Exclude<ServerName, 'vision'>, string>> = {
  search: 'web_search_prime',
  reader: 'web_reader',
  zread: 'zread',
};

/** The version of the vision server that was examined. With `@latest`, any newer version would run with the user's rights once it is published. */
const visionPackage = '@z_ai/mcp-server';
const visionVersion = '0.1.5';

/** Name in the files of tools. The prefix prevents a collision with servers of the user. */
export function serverId(name: ServerName): string {
  return `modelsvc-${name}`;
}

export interface ServerOptions {
  readonly region: RegionName;
  /** Scheme, host and port of the service. */
  readonly origin: string;
  readonly platform: NodeJS.Platform;
  readonly isLatest: boolean;
}

export function mcpServer(name: ServerName, key: KeySource, { region, origin, platform, isLatest }: ServerOptions): McpServer {
  if (name !== 'vision') return { kind: 'http', name: serverId(name), url: `${origin}/api/mcp/${paths[name]}/mcp`, key };
  const npx = ['npx', '-y', isLatest ? `${visionPackage}@latest` : `${visionPackage}@${visionVersion}`];
  // On Windows npx is a script, which only a shell can start.
  const [command = '', ...args] = platform === 'win32' ? ['cmd', '/c', ...npx] : npx;
  return {
    kind: 'stdio',
    name: serverId(name),
    command,
    args,
    env: { Z_AI_MODE: region === 'china' ? 'ZHIPU' : 'ZAI' },
    keyVariable: 'Z_AI_API_KEY',
    key,
  };
}

/** How a tool writes a key into its file: `${SVC_API_KEY}`, or the key itself. */
export type Reference = (key: KeySource) => string;

/** The text `Bearer KEY`. */
export function bearer(key: KeySource, reference: Reference): string {
  return `Bearer ${reference(key)}`;
}

/** `${NAME}`. */
export const dollarBraces: Reference = referenceWith((name) => `\${${name}}`);

/** A reference to a variable in the notation of a tool, or the key itself. */
export function referenceWith(variable: (name: string) => string, command?: (line: string) => string): Reference {
  return (key) => {
    if (key.mode === 'env') return variable(key.variable);
    if (key.mode === 'plain') return key.apiKey;
    if (!command) throw new TypeError('this tool cannot run a command for the key');
    return command(key.line);
  };
}
