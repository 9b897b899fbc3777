/** Tools of MCP servers for the tool loop: entry `modelsvc/mcp`. */

import { pages } from '../overlay/call/operations/pages.ts';
import { durationField } from '../overlay/call/settings/fields.ts';
import { ReplyError } from '../overlay/errors/errors.ts';
import { validated } from '../overlay/errors/problem.ts';
import { cut } from '../overlay/json/cut.ts';
import { fieldsOf, textOf } from '../overlay/json/json-value.ts';
import { checkFields, type KnownFields } from '../overlay/json/known-fields.ts';
import { Problem } from '../overlay/json/problem.ts';
import { cleanText } from '../overlay/secrets/clean.ts';
import { noOutput } from '../overlay/surfaces/blank-text.ts';
import { defineTool, type TypedTool } from '../overlay/tools/typed-tool.ts';
import { resultText } from './result-text.ts';

/**
 * The methods of an MCP client that `mcpTools` calls. A connected `Client` of `@modelcontextprotocol/sdk` has them. The type is
 * structural, so this package does not depend on that SDK.
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

/** Options of a request, as clients of the MCP SDK take them. */
export interface McpRequestOptions {
  signal?: AbortSignal;
  timeout?: number;
  onprogress?: () => void;
  resetTimeoutOnProgress?: boolean;
  maxTotalTimeout?: number;
}

/** A tool as a server lists it. */
export interface McpTool {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly inputSchema: { readonly [keyword: string]: unknown };
  readonly execution?: { readonly taskSupport?: string | undefined } | undefined;
}

/** Options of `mcpTools`. */
export interface McpToolsOptions {
  /** Prefix of every tool name, to distinguish servers: `fs_` makes `fs_read_file`. Default: none. */
  readonly prefix?: string | undefined;
  /** Return true for the tools to include. A request can have at most 128 tools, and each costs prompt tokens. Default: all tools. */
  readonly filter?: ((tool: McpTool) => boolean | Promise<boolean>) | undefined;
  /**
   * Maximum milliseconds of each request to the MCP server. Default: 60,000. Progress of a tool starts the time again, up to ten times this value.
   */
  readonly timeout?: number | undefined;
  /** Maximum characters of a result that the model receives; the rest is cut off, with a note. Default: 100,000. */
  readonly maxResultLength?: number | undefined;
  /** Cancels the listing. The tool loop cancels tool calls. */
  readonly signal?: AbortSignal | undefined;
}

const optionFields: KnownFields<McpToolsOptions> = { prefix: 1, filter: 1, timeout: 1, maxResultLength: 1, signal: 1 };

/** Maximum characters of a server's error that the model receives, so that a log does not fill the context. */
const maxErrorLength = 4000;

const defaultTimeoutMs = 60_000;
const maxExtension = 10;
const defaultResultLength = 100_000;

/** Maximum pages of a tool list, because a faulty server may return endless pages. */
const maxPages = 100;

/**
 * Returns the tools of a connected MCP client as typed tools for `runWithTools` and `streamWithTools` of every surface.
 *
 * A name that fits the service is kept. Others are cut at 64 characters, unsupported characters become `_`, and equal names get a
 * number. The description of such a tool begins with its own name. Results become text, with their structured content unless a text is its JSON or its only field. Images and other binary parts are listed, but their data is left out, and so are parts for the user alone. If a result is marked as an error, the
 * model receives `error: …`. Tools that run only as MCP tasks are left out. Throws a ReplyError if the list has more than 100 pages, or
 * if the server repeats a cursor.
 */
export async function mcpTools(client: McpClient, options: McpToolsOptions = {}): Promise<TypedTool<Record<string, unknown>>[]> {
  validated('mcpTools', () => {
    if (typeof client?.listTools !== 'function') throw new Problem('client', 'must be a connected MCP client');
    checkOptions(options);
  });
  const { prefix = '', filter = () => true, timeout = defaultTimeoutMs, maxResultLength = defaultResultLength, signal } = options;
  const limits: McpRequestOptions = { timeout };
  // The client asks for progress only with a callback.
  const extended = { ...limits, onprogress: () => undefined, resetTimeoutOnProgress: true, maxTotalTimeout: maxExtension * timeout };
  const listed = await listAll(client, { ...limits, ...(signal ? { signal } : {}) });
  const wanted = await Promise.all(listed.map((tool) => tool.execution?.taskSupport !== 'required' && filter(tool)));
  const chosen = listed.filter((_, index) => wanted[index]);
  const names = fittingNames(chosen.map((tool) => prefix + tool.name));
  return chosen.map((tool, index) => {
    const { $schema: _dialect, ...input } = fieldsOf(tool.inputSchema);
    const { [index]: name = '' } = names;
    const description = textOf(tool.description) || textOf(tool.title);
    return defineTool({
      name,
      // Another tool may have nearly this name.
      description: name === prefix + tool.name ? description : `${cleanText(tool.name, [], 200)}: ${description}`,
      input: input as Readonly<Record<string, unknown>>,
      run: async (values: Record<string, unknown>, call) => {
        const result = fieldsOf(await client.callTool({ name: tool.name, arguments: values }, undefined, { ...extended, signal: call.signal }));
        const text = resultText(result['content'], result['structuredContent'] ?? result['toolResult']);
        if (result['isError'] === true) throw new Error(cleanText(text, [], maxErrorLength) || 'the tool failed without a reason');
        if (text.trim() === '') return noOutput;
        return text.length <= maxResultLength ? text : `${cut(text, maxResultLength)}\n[cut off: ${text.length} characters]`;
      },
    });
  });
}

function checkOptions(options: McpToolsOptions): void {
  checkFields(options, optionFields, 'options');
  const { prefix = '', filter, maxResultLength = 1 } = options;
  if (typeof prefix !== 'string' || !/^[A-Za-z0-9_-]{0,32}$/.test(prefix))
    throw new Problem('prefix', 'must be at most 32 letters, digits, underscores and hyphens');
  if (filter !== undefined && typeof filter !== 'function') throw new Problem('filter', 'must be a function');
  if (!Number.isSafeInteger(maxResultLength) || maxResultLength < 1) throw new Problem('maxResultLength', 'must be an integer of at least 1');
  durationField('timeout', options.timeout);
}

async function listAll(client: McpClient, options: McpRequestOptions): Promise<readonly McpTool[]> {
  const tools: McpTool[] = [];
  let count = 0;
  const listed = pages('mcpTools', undefined, async (cursor) => {
    if (++count > maxPages) throw malformed(`the MCP server has more than ${maxPages} pages of tools`);
    const { tools: items, nextCursor } = fieldsOf(await client.listTools(cursor === undefined ? {} : { cursor }, options));
    if (!Array.isArray(items)) throw malformed('the MCP server replied without a list of tools');
    return { items: items as unknown[], next: textOf(nextCursor) || undefined };
  });
  // A tool without a name cannot be called.
  for await (const tool of listed) if (textOf(fieldsOf(tool)['name']) !== '') tools.push(tool as McpTool);
  return tools;
}

function malformed(text: string): ReplyError {
  return new ReplyError('mcpTools', 'malformed', text);
}

/**
 * A name for each tool that is valid for the service and unique. A name that fits stays as it is, because a model may know it. The others do not depend
 * on the order of the list.
 */
function fittingNames(names: readonly string[]): string[] {
  const fitting = new FittingNames(names.filter(isFitting));
  const changed = [...new Set(names.filter((name) => !isFitting(name)))].sort();
  const made = new Map(changed.map((name) => [name, fitting.add(name)]));
  const given = new Set<string>();
  return names.map((name) => {
    const first = made.get(name) ?? name;
    const own = given.has(first) ? fitting.add(name) : first;
    given.add(own);
    return own;
  });
}

function isFitting(name: string): boolean {
  return /^[A-Za-z0-9_-]{1,64}$/.test(name);
}

class FittingNames {
  readonly #taken: Set<string>;
  /** The last number used for each name prefix. Without it, thousands of equal names would take quadratic time. */
  readonly #numbers = new Map<string, number>();

  constructor(taken: readonly string[]) {
    this.#taken = new Set(taken);
  }

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
