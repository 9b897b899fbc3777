// The shape in which most tools write an MCP server: a URL with headers, or a command with its variables.
import type { Path } from './edits/edit.ts';
import { bearer, type McpServer, type Reference } from './mcp-servers.ts';
import { type Change, leaves } from './tool.ts';

export interface ShapeNames {
  /** Values of the field `type`. Without one the field is left out. */
  readonly http?: string;
  readonly stdio?: string;
  /** Name of the field with the URL. Default: `url`. */
  readonly url?: string;
}

export function serverChanges(path: Path, server: McpServer, reference: Reference, { http, stdio, url = 'url' }: ShapeNames = {}): Change[] {
  if (server.kind === 'http') return leaves(path, { type: http, [url]: server.url, headers: { Authorization: bearer(server.key, reference) } });
  const { command, args, env, keyVariable, key } = server;
  return leaves(path, { type: stdio, command, args, env: { ...env, [keyVariable]: reference(key) } });
}
