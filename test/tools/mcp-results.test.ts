// MCP tools over the real clients and servers of both versions of the SDK: limit, abort, progress, size, audience, names, and a broken output schema.
import { Client as Client2, InMemoryTransport as InMemoryTransport2 } from '@modelcontextprotocol/client';
import { Client, type ClientOptions } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { Server as Server2 } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type McpClient, type McpToolsOptions, mcpTools } from '../../src/mcp/index.ts';
import type { TypedTool } from '../../src/overlay/index.ts';

/** The extra argument of a tool of a test, whatever the version of the SDK. */
interface Extra {
  readonly signal: AbortSignal;
  /** Undefined if the client asked for no progress. */
  readonly report: ((progress: number) => Promise<void>) | undefined;
}
type Tool = (extra: Extra) => Promise<object> | object;
interface Listed {
  readonly tools: readonly object[];
  readonly tool: Tool;
}
interface Peer {
  connect(transport: never): Promise<void>;
  close(): Promise<void>;
}

/** The two versions of the SDK, with a server and a client of each, over its own protocol. */
const sdks: readonly { readonly sdk: string; server(listed: Listed): Peer; client(options?: ClientOptions): Peer; pair(): readonly object[] }[] = [
  {
    sdk: '@modelcontextprotocol/sdk 1',
    server: ({ tools, tool }) => {
      const server = new Server({ name: 's', version: '1' }, { capabilities: { tools: {} } });
      server.setRequestHandler(ListToolsRequestSchema, () => ({ tools }) as never);
      server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal, sendNotification }) => {
        const progressToken = params._meta?.progressToken;
        const report = (progress: number): Promise<void> =>
          sendNotification({ method: 'notifications/progress', params: { progressToken: progressToken ?? '', progress } });
        return (await tool({ signal, report: progressToken === undefined ? undefined : report })) as never;
      });
      return server;
    },
    client: (options) => new Client({ name: 'c', version: '1' }, options),
    pair: () => InMemoryTransport.createLinkedPair(),
  },
  ...(['legacy', 'auto'] as const).map((mode) => ({
    sdk: `@modelcontextprotocol/client 2, protocol ${mode === 'auto' ? '2026-07-28' : '2025-11-25'}`,
    server: ({ tools, tool }: Listed): Peer => {
      const server = new Server2({ name: 's', version: '1' }, { capabilities: { tools: {} } });
      server.setRequestHandler('tools/list', () => ({ tools }) as never);
      server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
        const progressToken = params._meta?.progressToken ?? mcpReq._meta?.progressToken;
        const report = (progress: number): Promise<void> =>
          mcpReq.notify({ method: 'notifications/progress', params: { progressToken: progressToken ?? '', progress } });
        return (await tool({ signal: mcpReq.signal, report: progressToken === undefined ? undefined : report })) as never;
      });
      if (mode === 'legacy') return server;
      let served: { close(): Promise<void> } | undefined;
      return {
        connect: async (transport) => {
          served = serveStdio(() => server, { transport });
        },
        close: async () => served?.close(),
      };
    },
    client: (options?: ClientOptions): Peer => new Client2({ name: 'c', version: '1' }, { ...(options as object), versionNegotiation: { mode } }),
    pair: () => InMemoryTransport2.createLinkedPair(),
  })),
];

describe.each(sdks)('$sdk', ({ sdk, server: serve, client: connect, pair }) => {
  /** The tools of a real server, through a real client. */
  async function opened(listed: Listed, options?: McpToolsOptions, own?: ClientOptions): Promise<TypedTool<Record<string, unknown>>[]> {
    const server = serve(listed);
    const mcp = connect(own);
    const [near, far] = pair();
    await Promise.all([server.connect(far as never), mcp.connect(near as never)]);
    if (mcp instanceof Client2) expect(sdk).toContain(mcp.getNegotiatedProtocolVersion());
    onTestFinished(async () => {
      await mcp.close();
      await server.close();
    });
    return mcpTools(mcp as never, options);
  }

  /** Runs the one tool of a real server. */
  async function ran(
    tool: Tool,
    {
      options,
      client,
      outputSchema,
      signal = new AbortController().signal,
    }: { options?: McpToolsOptions; client?: ClientOptions; outputSchema?: object; signal?: AbortSignal } = {},
  ): Promise<string> {
    const [typed] = await opened(
      { tools: [{ name: 't', inputSchema: { type: 'object' }, ...(outputSchema && { outputSchema }) }], tool },
      options,
      client,
    );
    const prepared = await typed?.prepare('{}');
    if (prepared?.problem !== undefined || !prepared) throw new Error('not prepared');
    return String(await prepared.run({ signal, callId: 'a', round: 1 }));
  }

  const text = (value: string, more: object = {}): object => ({ type: 'text', text: value, ...more });
  const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

  test('progress extends the timeout of a call, up to ten times; without progress the timeout ends it', async () => {
    const working =
      (steps: number): Tool =>
      async ({ report }) => {
        for (let progress = 1; progress <= steps; progress++) {
          await wait(20);
          await report?.(progress);
        }
        return { content: [text('done')] };
      };
    expect(await ran(working(40), { options: { timeout: 600 } })).toBe('done');
    const silent: Tool = async ({ signal }) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      return {};
    };
    await expect(ran(silent, { options: { timeout: 50 } })).rejects.toThrow(/timed out/i);
    await expect(ran(working(1000), { options: { timeout: 600 } })).rejects.toThrow(/timeout/i);
  });

  test('an abort of the run reaches the tool at the server', async () => {
    const stop = new AbortController();
    let ended: unknown;
    const tool: Tool = async ({ signal }) => {
      stop.abort();
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      ended = 'aborted';
      return {};
    };
    await expect(ran(tool, { signal: stop.signal })).rejects.toThrow();
    await expect.poll(() => ended).toBe('aborted');
  });

  test.each([[[]], [[text(' ')]], [[text(''), text('\n')]]])('a result without any text, %j, is reported to the model', async (content) => {
    expect(await ran(() => ({ content }))).toBe('(no output)');
  });

  test('a result has a bound, and its cut is reported to the model', async () => {
    const long = await ran(() => ({ content: [text('x'.repeat(5_000_000))] }));
    expect(long).toBe(`${'x'.repeat(100_000)}\n[cut off: 5000000 characters]`);
    expect(await ran(() => ({ content: [text('😀😀')] }), { options: { maxResultLength: 3 } })).toBe('😀\n[cut off: 4 characters]');
    expect(await ran(() => ({ content: [text('abc')] }), { options: { maxResultLength: 3 } })).toBe('abc');
    await expect(ran(() => ({}), { options: { maxResultLength: 0 } })).rejects.toThrow('mcpTools: maxResultLength must be an integer of at least 1');
  });

  test('parts for the user alone do not reach the model, of any type', async () => {
    const secret = { annotations: { audience: ['user'] } };
    const parts = [
      text('SECRET', secret),
      { type: 'image', data: 'SECRET', mimeType: 'image/png', ...secret },
      { type: 'resource', resource: { uri: 'x://SECRET', text: 'SECRET' }, ...secret },
      { type: 'resource_link', name: 'SECRET', uri: 'x://SECRET', ...secret },
    ];
    const both = text('for both', { annotations: { audience: ['user', 'assistant'] } });
    const given = await ran(() => ({ content: [...parts, both, text('for all'), text('none named', { annotations: { audience: [] } })] }));
    expect(given).toBe('for both\nfor all\nnone named');
    expect(await ran(() => ({ content: parts }))).toBe('[the result is for the user alone, not shown]');
    expect(await ran(() => ({ content: parts, structuredContent: { a: 1 } }))).toBe('{"a":1}');
    await expect(ran(() => ({ content: parts, isError: true }))).rejects.toThrow('[the result is for the user alone, not shown]');
  });

  const deep = JSON.parse(`${'['.repeat(1000)}${']'.repeat(1000)}`) as object;
  test.each<[name: string, texts: readonly string[], structured: unknown, sent: string]>([
    ['is added to a text', ['Two rows.'], { rows: [1, 2] }, 'Two rows.\n{"rows":[1,2]}'],
    ['is not repeated beside its own JSON', ['{ "b": [1, {}],\n "a": null }'], { a: null, b: [1, {}] }, '{ "b": [1, {}],\n "a": null }'],
    ['is not repeated if one of the texts is it', ['Rows:', '[1]'], [1], 'Rows:\n[1]'],
    ['is added to other JSON', ['{"a":1}'], { a: 1, b: 2 }, '{"a":1}\n{"a":1,"b":2}'],
    ['is added to a list in another order', ['[1,2]'], [2, 1], '[1,2]\n[2,1]'],
    ['is added to an object in place of a list', ['{"0":1}'], [1], '{"0":1}\n[1]'],
    ['is added to a word', ['true'], { ok: true }, 'true\n{"ok":true}'],
    ['of any depth is compared', [JSON.stringify(deep)], deep, JSON.stringify(deep)],
    ['is not repeated if its only field is the text', ['Two "rows".'], { content: 'Two "rows".' }, 'Two "rows".'],
    ['is absent', ['Two rows.'], undefined, 'Two rows.'],
  ])('structured content %s', async (_, texts, structured, sent) => {
    expect(await ran(() => ({ content: texts.map((one) => text(one)), ...(structured !== undefined && { toolResult: structured }) }))).toBe(sent);
  });

  test('structured content is within the bound of the result, and added where its JSON is for the user alone', async () => {
    const result = { content: [text('abc')], structuredContent: { a: 'x'.repeat(50) } };
    expect(await ran(() => result, { options: { maxResultLength: 10 } })).toBe('abc\n{"a":"\n[cut off: 62 characters]');
    const hidden = text('{"a":1}', { annotations: { audience: ['user'] } });
    expect(await ran(() => ({ content: [hidden, text('One.')], structuredContent: { a: 1 } }))).toBe('One.\n{"a":1}');
  });

  test('a result that breaks its own output schema keeps its text with the validator of the guide', async () => {
    const outputSchema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
    const broken: Tool = () => ({ content: [text('The mail was sent.')], structuredContent: { n: 'five' } });
    const jsonSchemaValidator = { getValidator: () => (data: unknown) => ({ valid: true, data, errorMessage: undefined }) };
    expect(await ran(broken, { outputSchema, client: { jsonSchemaValidator: jsonSchemaValidator as never } })).toBe(
      'The mail was sent.\n{"n":"five"}',
    );
    await expect(ran(broken, { outputSchema })).rejects.toThrow('output schema');
  });
});

test.each([
  ['an object with the methods', () => ({ callTool: async (..._given: unknown[]) => ({}) })],
  ['a wrapper around the method of a client', () => Object.assign(new Client({ name: 'c', version: '1' }), { callTool: async () => ({}) })],
  [
    'a class of one function with all parameters',
    () =>
      new (class {
        async callTool(..._given: unknown[]): Promise<object> {
          return {};
        }
      })(),
  ],
])('%s leaves the version open, and is refused before the server is asked', async (_title, make) => {
  let asked = 0;
  const listTools = async (): Promise<{ tools: [] }> => {
    asked++;
    return { tools: [] };
  };
  const client = Object.assign(make() as object, { listTools }) as unknown as McpClient;
  await expect(mcpTools(client)).rejects.toMatchObject({
    name: 'ConfigError',
    path: 'sdk',
    message: expect.stringContaining('pass 1 for callTool(params, schema, options)'),
  });
  expect(asked).toBe(0);
  expect(await mcpTools(client, { sdk: 2 })).toEqual([]);
});

test.each([
  [1, 2],
  [2, 1],
] as const)('sdk: %i puts the options after %i other values, with the client as this', async (sdk, before) => {
  const given: unknown[][] = [];
  const client = {
    listTools: async () => ({ tools: [{ name: 't', inputSchema: { type: 'object' } }] }),
    async callTool(...values: unknown[]) {
      expect(this).toBe(client);
      given.push(values);
      return { content: [] };
    },
  };
  const [tool] = await mcpTools(client as unknown as McpClient, { sdk, timeout: 300 });
  const prepared = await tool?.prepare('{}');
  if (prepared?.problem !== undefined || !prepared) throw new Error('not prepared');
  const { signal } = new AbortController();
  await prepared.run({ signal, callId: 'a', round: 1 });
  expect(given[0]).toHaveLength(before + 1);
  expect(given[0]?.at(-1)).toMatchObject({ signal, timeout: 300, maxTotalTimeout: 3000 });
});

test('a class derived from a client of the SDK has its version, and so has a Proxy', async () => {
  class Own extends Client2 {
    override callTool(...given: Parameters<Client2['callTool']>): ReturnType<Client2['callTool']> {
      return super.callTool(...given);
    }
  }
  for (const client of [new Own({ name: 'c', version: '1' }), new Proxy(new Client2({ name: 'c', version: '1' }), {})])
    expect(await mcpTools(client as never)).toEqual([]);
});
