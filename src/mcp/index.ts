/** Tools of MCP servers for the tool loop: entry `modelsvc/mcp`. */
import { pages } from '../overlay/call/pages.ts';
import { cleanText } from '../overlay/errors/clean.ts';
import { StreamError } from '../overlay/errors/errors.ts';
import { fieldsOf, textOf } from '../overlay/errors/json-value.ts';
import { Problem, validationError } from '../overlay/errors/problem.ts';
import { defineTool, type TypedTool } from '../overlay/tools/typed-tool.ts';
import { resultText } from './result-text.ts';

/**
 * What is asked of an MCP client: a connected `Client` of `@modelcontextprotocol/sdk` has it. The shape alone is named here, so the
 * package needs that one only where it is used.
 */
export interface McpClient {
  listTools(
    parameters?: { cursor?: string },
    options?: McpRequestOptions,
  ): Promise<{ readonly tools: readonly McpTool[]; readonly nextCursor?: string | undefined }>;
  callTool(
    parameters: { name: string; arguments?: Record<string, unknown> },
    resultSchema?: undefined,
    options?: McpRequestOptions,
  ): Promise<{ readonly [field: string]: unknown }>;
}

export interface McpRequestOptions {
  signal?: AbortSignal;
  timeout?: number;
}

/** A tool as a server lists it. */
export interface McpTool {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly inputSchema: { readonly [keyword: string]: unknown };
  readonly execution?: { readonly taskSupport?: string | undefined } | undefined;
}

/** Which tools to take, and how to call them. */
export interface McpToolsOptions {
  /** Put before every name, to tell servers apart: `fs_` makes `fs_read_file`. */
  readonly prefix?: string;
  /** Take only the tools this says yes to: a request carries 128 at most, and each costs prompt tokens. */
  readonly filter?: (tool: McpTool) => boolean;
  /** Milliseconds a call may take. Default: the MCP client's own, 60,000. */
  readonly timeout?: number;
  /** Cancels the listing. Calls are cancelled by the tool loop. */
  readonly signal?: AbortSignal;
}

/** Characters of a server's error that the model reads: a server's whole log must not fill the context. */
const maxErrorLength = 4000;

/** Pages of a list that are read at most: a server that never ends its list must not hold us. */
const maxPages = 100;

/**
 * The tools of a connected MCP client as typed tools for `runWithTools` and `streamWithTools` of either surface.
 *
 * Names are made to fit the service: other characters become `_`, names are cut at 64 characters, and a number tells equal ones apart. A result becomes text; images and
 * other binary parts are named but not shown. A result that the server marks as an error is told to the model as `error: …`.
 * Tools that run only as tasks of the protocol are left out.
 */
export async function mcpTools(client: McpClient, options: McpToolsOptions = {}): Promise<TypedTool<Record<string, unknown>>[]> {
  const { prefix = '', filter = () => true, timeout, signal } = options;
  if (!/^[A-Za-z0-9_-]{0,32}$/.test(prefix))
    throw validationError('mcpTools', new Problem('prefix', 'must be at most 32 letters, digits, underscores and hyphens'));
  const limits: McpRequestOptions = timeout === undefined ? {} : { timeout };
  const listed = await listAll(client, { ...limits, ...(signal ? { signal } : {}) });
  const names = new FittingNames();
  return listed
    .filter((tool) => tool.execution?.taskSupport !== 'required' && filter(tool))
    .map((tool) => {
      const { $schema: _dialect, ...input } = fieldsOf(tool.inputSchema);
      return defineTool({
        name: names.add(prefix + tool.name),
        description: textOf(tool.description) || textOf(tool.title),
        input: input as Readonly<Record<string, unknown>>,
        run: async (values: Record<string, unknown>, call) => {
          const result = fieldsOf(await client.callTool({ name: tool.name, arguments: values }, undefined, { ...limits, signal: call.signal }));
          const text = resultText(result['content'], result['structuredContent'] ?? result['toolResult']);
          if (result['isError'] === true) throw new Error(cleanText(text, [], maxErrorLength));
          return text;
        },
      });
    });
}

async function listAll(client: McpClient, options: McpRequestOptions): Promise<readonly McpTool[]> {
  const tools: McpTool[] = [];
  let count = 0;
  const listed = pages('mcpTools', undefined, async (cursor) => {
    if (++count > maxPages) throw malformed(`the MCP server has more than ${maxPages} pages of tools`);
    const { tools: items, nextCursor } = fieldsOf(await client.listTools(cursor === undefined ? {} : { cursor }, options));
    if (!Array.isArray(items)) throw malformed('the MCP server answered without a list of tools');
    return { items: items as unknown[], next: typeof nextCursor === 'string' ? nextCursor : undefined };
  });
  // A tool without a name cannot be called.
  for await (const tool of listed) if (textOf(fieldsOf(tool)['name']) !== '') tools.push(tool as McpTool);
  return tools;
}

function malformed(text: string): StreamError {
  return new StreamError('mcpTools', 'malformed', text);
}

/** Names as the service takes them, each once. */
class FittingNames {
  readonly #taken = new Set<string>();
  /** The last number given to names that begin alike, where the next search begins: a server may list thousands of them. */
  readonly #numbers = new Map<string, number>();

  add(name: string): string {
    const plain = name.slice(0, 64).replace(/[^A-Za-z0-9_-]/g, '_') || 'tool';
    const beginning = plain.slice(0, 56);
    let number = this.#numbers.get(beginning) ?? 1;
    let fitting = plain;
    while (this.#taken.has(fitting)) fitting = `${plain.slice(0, 63 - String(++number).length)}_${number}`;
    if (fitting !== plain) this.#numbers.set(beginning, number);
    this.#taken.add(fitting);
    return fitting;
  }
}
