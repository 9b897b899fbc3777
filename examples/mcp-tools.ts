/**
 * Let a model use the tools of an MCP server. The arguments are the command of the server.
 *
 *     SVC_API_KEY=... npx tsx mcp-tools.ts npx -y @modelcontextprotocol/server-filesystem .
 */
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { contentText, newClient } from 'modelsvc';
import { mcpTools } from 'modelsvc/mcp';

const c = newClient({
  apiKey: process.env.SVC_API_KEY ?? '',
  endpoints: process.env.SVC_ENDPOINTS,
});
const [command = 'npx', ...args] = process.argv.slice(2);

const server = new Client({ name: 'example', version: '1.0.0' });
await server.connect(
  new StdioClientTransport({ command, args, stderr: 'ignore' }),
);
try {
  // Offer only the tools that read.
  const tools = await mcpTools(server, {
    filter: ({ name }) => /^(list|read|get)_/.test(name),
  });
  const reply = await c.chat().runWithTools(
    {
      model: 'glm-5.3',
      effort: 'low',
      messages: [
        {
          role: 'user',
          content: 'Which files are in the directory that you may read?',
        },
      ],
    },
    tools,
    {
      onRound: ({ calls }) => {
        for (const { name, input } of calls)
          console.log(name, JSON.stringify(input));
      },
    },
  );
  console.log(contentText(reply.choices[0]?.message.content));
} finally {
  await server.close();
}
