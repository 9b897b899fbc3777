// An MCP server of version 2 of the SDK, whose tool names the protocol of the call.
import { Server } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

serveStdio(() => {
  const server = new Server({ name: 'protocols', version: '1.0.0' }, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/list', () => ({ tools: [{ name: 'protocol', inputSchema: { type: 'object' } }] }));
  server.setRequestHandler('tools/call', (_request, { mcpReq }) => {
    const protocol = mcpReq.envelope?.['io.modelcontextprotocol/protocolVersion'] ?? server.getNegotiatedProtocolVersion();
    return { content: [{ type: 'text', text: protocol }] };
  });
  return server;
});
