// An MCP server with two tools of @modelcontextprotocol/server-everything, in few lines: that one takes longer to start than a command.
import { createInterface } from 'node:readline';

const tools = {
  echo: ({ message }) => `Echo: ${message}`,
  'get-sum': ({ a, b }) => `The sum of ${a} and ${b} is ${a + b}.`,
};

const methods = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'two-tools', version: '1.0.0' } }),
  'tools/list': () => ({ tools: Object.keys(tools).map((name) => ({ name, inputSchema: { type: 'object' } })) }),
  'tools/call': ({ name, arguments: input }) => ({ content: [{ type: 'text', text: tools[name](input) }] }),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  // A notification has no id, and no answer.
  if (id !== undefined) process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result: methods[method](params) })}\n`);
}
