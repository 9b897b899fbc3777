// MCP servers of --mcp: started for one command, their tools run after a question for each call.
import type { jsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/types.js';
import type { ToolDecision, TypedTool } from 'modelsvc';
import { mcpTools } from 'modelsvc/mcp';
import type { Cli } from '../cli.ts';
import { CliError, exitCodes, usageError } from '../errors/exit.ts';
import type { Consent } from '../terminal/questions.ts';
import { beginning } from '../terminal/width.ts';
import type { ModelCall } from './exchange.ts';
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
  const { Client, StdioClientTransport } = await sdk();
  const clients: { close(): Promise<void> }[] = [];
  const close = async (): Promise<void> => void (await Promise.allSettled(clients.map((one) => one.close())));
  try {
    const tools: TypedTool[] = [];
    for (const [at, [command, ...args]] of lines.entries()) {
      const client = new Client({ name: 'modelsvc', version: '1' }, { jsonSchemaValidator: acceptingValidator });
      clients.push(client);
      // The SDK hands the server only harmless variables, so that it cannot read the API key.
      await client.connect(new StdioClientTransport({ command, args, stderr: cli.values.debug === true ? 'inherit' : 'ignore' }), {
        signal: cli.signal,
      });
      tools.push(...(await mcpTools(client, { signal: cli.signal, ...(lines.length > 1 && { prefix: `s${at + 1}_` }) })));
    }
    const allowed = new Set<string>();
    return { tools, decide: (calls) => decisions(cli, calls, ask, allowed), [Symbol.asyncDispose]: close };
  } catch (error) {
    await close();
    if (error instanceof CliError || cli.signal.aborted) throw error;
    const text = error instanceof Error ? error.message : String(error);
    throw new CliError(`--mcp: the server did not start: ${text}`, exitCodes.error, 'Run its command alone, or add --debug for its messages.');
  }
}

/** A result that breaks the tool's own `outputSchema` keeps its text: the tool has run, and the SDK would drop all of it. */
const acceptingValidator: jsonSchemaValidator = { getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }) };

async function sdk(): Promise<
  Pick<typeof import('@modelcontextprotocol/sdk/client/index.js'), 'Client'> &
    Pick<typeof import('@modelcontextprotocol/sdk/client/stdio.js'), 'StdioClientTransport'>
> {
  try {
    const [{ Client }, { StdioClientTransport }] = await Promise.all([
      import('@modelcontextprotocol/sdk/client/index.js'),
      import('@modelcontextprotocol/sdk/client/stdio.js'),
    ]);
    return { Client, StdioClientTransport };
  } catch {
    throw usageError('--mcp needs the package @modelcontextprotocol/sdk', 'Install it beside modelsvc: npm install -g @modelcontextprotocol/sdk');
  }
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
