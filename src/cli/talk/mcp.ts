// MCP servers of --mcp: started for one command, their tools run after a question for each call.
import type { Client, jsonSchemaValidator, Transport } from '@modelcontextprotocol/client';
import type { ToolDecision, TypedTool } from 'modelsvc';
import { mcpTools } from 'modelsvc/mcp';
import type { Cli } from '../cli.ts';
import { CliError, exitCodes, usageError } from '../errors/exit.ts';
import type { Consent } from '../terminal/questions.ts';
import { beginning } from '../terminal/width.ts';
import type { ModelCall } from './exchange.ts';
import { McpProcess } from './mcp-process.ts';
import { commandWords } from './words.ts';

export interface McpServers extends AsyncDisposable {
  readonly tools: readonly TypedTool[];
  decide(calls: readonly ModelCall[]): Promise<ToolDecision[]>;
}

/** Consent is given to what can be read, so the question quotes more of a call than a note does. */
const longestQuestion = 20_000;

/** Asks whether a call may run, and all later calls that `always` names. */
type AskConsent = (question: string, always: string) => Promise<Consent>;

/** Starts the servers. Without a terminal, their tools run only with --yes. */
export async function startMcpServers(
  cli: Cli,
  commands: readonly string[],
  ask: AskConsent = (question, always) => cli.screen.ask(question, always),
): Promise<McpServers> {
  const lines = commands.map((line) => commandWords('--mcp', line));
  if (cli.values.yes !== true && !cli.screen.isInteractive)
    throw usageError('--mcp asks before each tool call, which needs a terminal', 'Pass --yes to run every call.');
  const parts = await sdk();
  const clients: Client[] = [];
  const close = async (): Promise<void> => void (await Promise.allSettled(clients.map((one) => one.close())));
  try {
    const tools: TypedTool[] = [];
    for (const [at, words] of lines.entries()) {
      const found = await startingOf(cli, nameOf(words), async () => {
        const client = await connected(parts, cli, words, clients);
        return mcpTools(client, { signal: cli.signal, ...(lines.length > 1 && { prefix: `s${at + 1}_` }) });
      });
      tools.push(...found);
    }
    const allowed = new Set<string>();
    return { tools, decide: (calls) => decisions(cli, calls, ask, allowed), [Symbol.asyncDispose]: close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Milliseconds for each answer of a server that starts: `npx` may install it first. The limit for the list of tools is the default of `mcpTools`. */
const longestStartMs = 60_000;
/** Milliseconds after which the wait for a server is named. */
const slowStartMs = 3000;

/** Waits for a server that starts. A failure names it. */
async function startingOf<T>(cli: Cli, name: string, work: () => Promise<T>): Promise<T> {
  const limit = `${longestStartMs / 1000} s`;
  const slow = setTimeout(() => cli.screen.note(`waiting for the MCP server ${name}, at most ${limit} for each answer`), slowStartMs);
  try {
    return await work();
  } catch (error) {
    if (cli.signal.aborted) throw error;
    const { code, message } = error as { readonly code?: unknown; readonly message: string };
    const text = code === requestTimeout ? `no answer within ${limit}` : message;
    throw new CliError(
      `--mcp: the server ${name} did not start: ${text}`,
      exitCodes.error,
      'Run its command alone, or add --debug for its messages.',
    );
  } finally {
    clearTimeout(slow);
  }
}

/** The code of the SDK for a request without an answer. */
const requestTimeout = 'REQUEST_TIMEOUT';
/** The codes of a server that ended at the question of the newest protocol, which it does not know. */
const unaskable: readonly unknown[] = ['CONNECTION_CLOSED', 'ERA_NEGOTIATION_FAILED'];

/** The words that name a server. The options after them may have keys. */
function nameOf([command, ...args]: readonly string[]): string {
  const last = args.findIndex((word) => !word.startsWith('-'));
  return shortened([command, ...args.slice(0, last + 1)].join(' '), 100);
}

/** A result that breaks the tool's own `outputSchema` keeps its text: the tool has run, and the SDK would drop all of it. */
const acceptingValidator: jsonSchemaValidator = { getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }) };

type Sdk = Pick<typeof import('@modelcontextprotocol/client'), 'Client' | 'ReadBuffer' | 'serializeMessage'> &
  typeof import('@modelcontextprotocol/client/stdio');

async function sdk(): Promise<Sdk> {
  try {
    const [main, stdio] = await Promise.all([import('@modelcontextprotocol/client'), import('@modelcontextprotocol/client/stdio')]);
    return { ...main, ...stdio };
  } catch {
    throw usageError(
      '--mcp needs the package @modelcontextprotocol/client',
      'Install it in addition to modelsvc: npm install -g @modelcontextprotocol/client',
    );
  }
}

type Words = readonly [command: string, ...args: string[]];

/** `auto` asks for the protocol 2026-07-28 first. A server that ends at this question is started again without it. `clients` gets what has to be closed. */
async function connected(parts: Sdk, cli: Cli, words: Words, clients: Client[], mode: 'auto' | 'legacy' = 'auto'): Promise<Client> {
  const versionNegotiation = { mode, probe: { timeoutMs: slowStartMs } };
  const client = new parts.Client({ name: 'modelsvc', version: '1' }, { jsonSchemaValidator: acceptingValidator, versionNegotiation });
  clients.push(client);
  try {
    await client.connect(transport(parts, cli, words), { signal: cli.signal, timeout: longestStartMs });
    return client;
  } catch (error) {
    if (mode === 'legacy' || !unaskable.includes((error as { code?: unknown }).code)) throw error;
    await client.close();
    return connected(parts, cli, words, clients, 'legacy');
  }
}

function transport(
  { getDefaultEnvironment, StdioClientTransport, ReadBuffer, serializeMessage }: Sdk,
  cli: Cli,
  [command, ...args]: Words,
): Transport {
  // The SDK names only harmless variables, so that the server cannot read the API key.
  const server = { command, args, env: getDefaultEnvironment(), stderr: cli.values.debug === true ? 'inherit' : 'ignore' } as const;
  // Windows has no groups of processes.
  if (process.platform === 'win32') return new StdioClientTransport(server);
  return new McpProcess({ ...server, signal: cli.signal, lines: { buffer: new ReadBuffer(), serialize: serializeMessage } });
}

/** `allowed` gets the tools that the user allows for the rest of the session. */
async function decisions(cli: Cli, calls: readonly ModelCall[], ask: AskConsent, allowed: Set<string>): Promise<ToolDecision[]> {
  const decided: ToolDecision[] = [];
  for (const call of calls) {
    const text = `${call.name} ${JSON.stringify(call.arguments ?? {})}`;
    if (cli.values.yes === true || allowed.has(call.name)) {
      cli.screen.note(`tool: ${shortened(text, 400)}`);
      decided.push('allow');
      continue;
    }
    const consent = await ask(`Run ${shortened(text, longestQuestion)}?`, call.name);
    if (consent === 'always') allowed.add(call.name);
    decided.push(consent === 'yes' || consent === 'always' ? 'allow' : { deny: 'the user denied this call' });
  }
  return decided;
}

function shortened(text: string, length: number): string {
  return text.length > length ? `${beginning(text, length)} … (${text.length} characters)` : text;
}
