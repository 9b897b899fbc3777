/** The server that the programs talk to. It records every request, answers MCP, and passes the rest to the fake service. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fieldsOf, jsonOrUndefined } from '../../../src/overlay/json/json-value.ts';
import { type FakeRequest, startFakeService } from '../../../src/testing/index.ts';
import { headersOf, readBytes } from '../../../src/testing/requests/request.ts';
import { refusedTool } from '../../../src/testing/requests/tool-schemas.ts';
import { listen, passOn } from '../runtimes/service.ts';

/** The text of every answer. */
export const answer = 'answer-of-the-fake';

/** The call that precedes the answer if the program declares the tool. Its command prints a text that the arguments do not contain. */
const toolCall = { name: 'exec_command', arguments: { cmd: 'echo ran-$((6 * 7))-times' } };
const printed = 'ran-42-times';

export interface Seen {
  readonly method: string;
  /** Path without the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly model: string | undefined;
  /** It declares a tool whose schema the chat surface of the platform refuses. */
  readonly hasRefusedTool: boolean;
  /** It contains the output of the tool that the answer before called. */
  readonly hasToolOutput: boolean;
}

export interface Front {
  readonly url: string;
  /** The only key that the fake accepts. */
  readonly key: string;
  /** Requests since the last `forget`. */
  readonly seen: readonly Seen[];
  forget(): void;
  close(): Promise<void>;
}

interface Body {
  readonly model?: string;
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: { readonly protocolVersion?: string };
}

export async function startFront(): Promise<Front> {
  const key = 'svc-key-0123456789abcdef.0123456789abcdef';
  // It would refuse the tools of some programs; see `refusedTool`.
  const fake = await startFakeService({ keys: [key], validate: false });
  const turn = { turn: { text: answer } };
  fake.fallback('chat.create', turn).fallback('anthropic.create', turn);
  // The requests of Responses are checked: only Codex sends them.
  const responses = await startFakeService({ keys: [key], models: 'any' });
  responses.fallback('responses.create', (request) =>
    declaresTool(request) && !hasOutput(request.bytes) ? { turn: { toolCalls: [toolCall] } } : turn,
  );
  const seen: Seen[] = [];
  const server = createServer(async (incoming, outgoing) => {
    const { method = '', url = '' } = incoming;
    const bytes = await readBytes(incoming).catch(() => Buffer.alloc(0));
    const body: Body = fieldsOf(jsonOrUndefined(new TextDecoder().decode(bytes)));
    const { pathname: path } = new URL(url, 'http://front');
    const headers = headersOf(incoming);
    seen.push({ method, path, headers, model: body.model, hasRefusedTool: refusedTool(body) !== undefined, hasToolOutput: hasOutput(bytes) });
    if (path.startsWith('/api/mcp/')) mcpReply(outgoing, method, body);
    else passOn(path.startsWith('/api/v1/') ? responses.url : fake.url, incoming, outgoing).end(bytes);
  });
  await listen(server);
  return {
    key,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    forget: () => void seen.splice(0),
    async close() {
      server.closeAllConnections();
      server.close();
      await Promise.all([fake.close(), responses.close()]);
    },
  };
}

function declaresTool({ body }: FakeRequest): boolean {
  const { tools } = Object(body) as { readonly tools?: readonly { readonly name?: string }[] };
  return tools?.some(({ name }) => name === toolCall.name) ?? false;
}

function hasOutput(bytes: Uint8Array): boolean {
  return new TextDecoder().decode(bytes).includes(printed);
}

/** An MCP server without tools. */
function mcpReply(outgoing: ServerResponse, method: string, { id, method: called, params }: Body): void {
  if (method !== 'POST') return void outgoing.writeHead(405).end();
  if (id === undefined) return void outgoing.writeHead(202).end();
  const { protocolVersion } = params ?? {};
  const started = { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'search', version: '1.0.0' } };
  const result = called === 'initialize' ? started : called === 'tools/list' ? { tools: [] } : {};
  outgoing.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', id, result }));
}
