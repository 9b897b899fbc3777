// Results of MCP tools over the real client and server of the SDK: progress, size, audience, and a broken output schema.
import { Client, type ClientOptions } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { expect, onTestFinished, test } from 'vitest';
import { type McpToolsOptions, mcpTools } from '../../src/mcp/index.ts';

type Extra = Parameters<Parameters<Server['setRequestHandler']>[1]>[1];
type Tool = (extra: Extra, progressToken: string | number | undefined) => Promise<object> | object;

/** Runs the one tool of a real server. */
async function ran(tool: Tool, { options, client, outputSchema }: { options?: McpToolsOptions; client?: ClientOptions; outputSchema?: object } = {}) {
  const server = new Server({ name: 's', version: '1' }, { capabilities: { tools: {} } });
  server.setRequestHandler(
    ListToolsRequestSchema,
    () => ({ tools: [{ name: 't', inputSchema: { type: 'object' }, ...(outputSchema && { outputSchema }) }] }) as never,
  );
  server.setRequestHandler(
    CallToolRequestSchema,
    async (request, extra) => (await tool(extra as never, request.params._meta?.progressToken)) as never,
  );
  const mcp = new Client({ name: 'c', version: '1' }, client);
  const [near, far] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(far), mcp.connect(near)]);
  onTestFinished(async () => {
    await mcp.close();
    await server.close();
  });
  const [typed] = await mcpTools(mcp as never, options);
  const prepared = await typed?.prepare('{}');
  if (prepared?.problem !== undefined || !prepared) throw new Error('not prepared');
  return String(await prepared.run({ signal: new AbortController().signal, callId: 'a', round: 1 }));
}

const text = (value: string, more: object = {}): object => ({ type: 'text', text: value, ...more });
const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

test('progress extends the timeout of a call, up to ten times; without progress the timeout ends it', async () => {
  const working =
    (steps: number): Tool =>
    async (extra, progressToken) => {
      for (let progress = 1; progress <= steps; progress++) {
        await wait(100);
        if (progressToken !== undefined) await extra.sendNotification({ method: 'notifications/progress', params: { progressToken, progress } });
      }
      return { content: [text('done')] };
    };
  expect(await ran(working(8), { options: { timeout: 400 } })).toBe('done');
  const silent: Tool = async ({ signal }) => {
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    return {};
  };
  await expect(ran(silent, { options: { timeout: 50 } })).rejects.toThrow(/timed out/i);
  await expect(ran(working(60), { options: { timeout: 150 } })).rejects.toThrow(/timeout/i);
});

test.each([[[]], [[text(' ')]], [[text(''), text('\n')]]])('a result without any text, %j, is told to the model', async (content) => {
  expect(await ran(() => ({ content }))).toBe('(no output)');
});

test('a result has a bound, and its cut is told to the model', async () => {
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
  expect(await ran(broken, { outputSchema, client: { jsonSchemaValidator: jsonSchemaValidator as never } })).toBe('The mail was sent.\n{"n":"five"}');
  await expect(ran(broken, { outputSchema })).rejects.toThrow('output schema');
});
