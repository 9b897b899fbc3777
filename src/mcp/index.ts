/** Tools of MCP servers for the tool loop: entry `modelsvc/mcp`. */

import { pages } from '../overlay/call/operations/pages.ts';
import { durationField } from '../overlay/call/settings/fields.ts';
import type { ReplyError } from '../overlay/errors/errors.ts';
import { configured, validated } from '../overlay/errors/problem.ts';
import { freeReplyError } from '../overlay/errors/refusal.ts';
import { cut } from '../overlay/json/cut.ts';
import { fieldsOf, textOf } from '../overlay/json/json-value.ts';
import { checkFields, type KnownFields } from '../overlay/json/known-fields.ts';
import { Problem } from '../overlay/json/problem.ts';
import { cleanText } from '../overlay/secrets/clean.ts';
import { noOutput } from '../overlay/surfaces/blank-text.ts';
import { defineTool, type TypedTool } from '../overlay/tools/typed-tool.ts';
import { resultText } from './result-text.ts';

/**
 * The methods of an MCP client that `mcpTools` calls. A connected `Client` of `@modelcontextprotocol/client` (version 2) or
 * `@modelcontextprotocol/sdk` (version 1) has them. The type is structural, so this package does not depend on either.
 */
export interface McpClient {
  listTools(
    parameters?: { cursor?: string },
    options?: McpRequestOptions,
  ): Promise<{ readonly tools: readonly McpTool[]; readonly nextCursor?: string | undefined }>;
  /** Version 1 takes a schema of the result before the options, version 2 does not. */
  callTool(parameters: { name: string; arguments?: Record<string, unknown> }, ...more: never[]): Promise<object>;
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
  /** Version of the MCP SDK whose `callTool` the client has. Set it for a wrapper of your own. Default: read from the class of the client. */
  readonly sdk?: 1 | 2 | undefined;
}

const optionFields: KnownFields<McpToolsOptions> = { prefix: 1, filter: 1, timeout: 1, maxResultLength: 1, signal: 1, sdk: 1 };

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
 * model receives `error: …`. Tools that run only as MCP tasks are left out. Throws a ConfigError if the version of the SDK cannot be read from the client. Throws a ReplyError if the list has more than 100 pages, or
 * if the server repeats a cursor.
 */
export async function mcpTools(client: McpClient, options: McpToolsOptions = {}): Promise<TypedTool<Record<string, unknown>>[]> {
  validated('mcpTools', () => {
    if (typeof client?.listTools !== 'function') throw new Problem('client', 'must be a connected MCP client');
    checkOptions(options);
  });
  const callTool = callerOf(client, options.sdk);
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
        const result = fieldsOf(await callTool({ name: tool.name, arguments: values }, { ...extended, signal: call.signal }));
        const text = resultText(result['content'], result['structuredContent'] ?? result['toolResult']);
        if (result['isError'] === true) throw new Error(cleanText(text, [], maxErrorLength) || 'the tool failed without a reason');
        if (text.trim() === '') return noOutput;
        return text.length <= maxResultLength ? text : `${cut(text, maxResultLength)}\n[cut off: ${text.length} characters]`;
      },
    });
  });
}

/** Calls a tool with its options where the SDK of the client reads them. Elsewhere the limit, the signal and the progress are lost in silence. */
function callerOf(client: McpClient, given: McpToolsOptions['sdk']): (parameters: object, options: McpRequestOptions) => Promise<object> {
  const version = given ?? sdkOf(client);
  if (version === undefined)
    return configured(() => {
      throw new Problem(
        'sdk',
        'is needed, because the client is not a Client of the MCP SDK: pass 1 for callTool(params, schema, options), or 2 for callTool(params, options)',
      );
    });
  const call = client.callTool as (...values: unknown[]) => Promise<object>;
  return (parameters, options) => call.call(client, parameters, ...(version === 1 ? [undefined] : []), options);
}

/** By the number of parameters of the SDK's own method: a default value ends the count, which version 1 has for its second. */
function sdkOf(client: McpClient): 1 | 2 | undefined {
  let length = 0;
  for (let one: unknown = Object.getPrototypeOf(client); one; one = Object.getPrototypeOf(one))
    if (Object.hasOwn(one, 'callTool')) length = (one as McpClient).callTool.length;
  return !Object.hasOwn(client, 'callTool') && (length === 1 || length === 2) ? length : undefined;
}

function checkOptions(options: McpToolsOptions): void {
  checkFields(options, optionFields, 'options');
  const { prefix = '', filter, maxResultLength = 1, sdk = 1 } = options;
  if (typeof prefix !== 'string' || !/^[A-Za-z0-9_-]{0,32}$/.test(prefix))
    throw new Problem('prefix', 'must be at most 32 letters, digits, underscores and hyphens');
  if (filter !== undefined && typeof filter !== 'function') throw new Problem('filter', 'must be a function');
  if (!Number.isSafeInteger(maxResultLength) || maxResultLength < 1) throw new Problem('maxResultLength', 'must be an integer of at least 1');
  if (sdk !== 1 && sdk !== 2) throw new Problem('sdk', 'must be 1 or 2');
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
  return freeReplyError('mcpTools', text, 'Report this to the author of the MCP server.');
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
