// An MCP server that hangs: `silent=METHOD` never answers a method, `stays` ignores the end of stdin and SIGTERM, `child` starts one more of its kind.
// Each process adds its id to the file of its first argument.
import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const [file, ...traits] = process.argv.slice(2);
const silent = traits.find((one) => one.startsWith('silent='))?.slice('silent='.length);
const answers = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'stubborn', version: '1.0.0' } }),
  'tools/list': () => ({ tools: [{ name: 'echo', inputSchema: { type: 'object' } }] }),
};

if (traits.includes('stays')) {
  process.on('SIGTERM', () => undefined);
  setInterval(() => undefined, 1000);
}
const others = traits.filter((one) => one !== 'child');
if (others.length < traits.length)
  spawn(process.execPath, [fileURLToPath(import.meta.url), file, ...others], { stdio: ['pipe', 'ignore', 'ignore'] });
appendFileSync(file, `${process.pid}\n`);

function replyTo(method, params) {
  return method in answers ? { result: answers[method](params) } : { error: { code: -32601, message: 'Method not found' } };
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (method === silent) appendFileSync(file, 'asked\n');
  else if (id !== undefined) process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...replyTo(method, params) })}\n`);
}
