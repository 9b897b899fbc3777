import { expect, test } from 'vitest';
import { type McpToolsOptions, mcpTools } from '../../src/mcp/index.ts';

test.each([
  [{ prefix: null }, 'mcpTools: prefix must be at most 32 letters, digits, underscores and hyphens'],
  [{ prefix: 5 }, 'mcpTools: prefix must be at most 32 letters, digits, underscores and hyphens'],
  [{ sdk: 3 }, 'mcpTools: sdk must be 1 or 2'],
  [{ filter: 'read' }, 'mcpTools: filter must be a function'],
  [{ timeout: '60' }, 'mcpTools: timeout must be a duration from 0 to 20 days; pass a number of milliseconds'],
])('the options %j are refused before the server is asked', async (options, message) => {
  let asked = 0;
  const client = {
    listTools: () => {
      asked++;
      return Promise.resolve({ tools: [{ name: 'read', inputSchema: { type: 'object' } }] });
    },
    callTool: () => Promise.resolve({}),
  };
  await expect(mcpTools(client, options as unknown as McpToolsOptions)).rejects.toMatchObject({ name: 'ValidationError', message });
  expect(asked).toBe(0);
});
