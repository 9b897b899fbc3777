// The shapes that OpenCode shares with Kilo Code, which is built from it.
import { bearer, type McpServer, referenceWith } from '../mcp-servers.ts';
import { type Change, keyPlaceholder, leaves, modelIds, type Session, type Wiring } from '../tool.ts';

const providerId = 'modelsvc';
const braces = referenceWith((name) => `{env:${name}}`);

function settings({ root, model, smallModel, contextTokens, outputTokens, key }: Wiring): Record<string, unknown> {
  const limit = { context: contextTokens, output: outputTokens };
  const models = Object.fromEntries(modelIds({ model, smallModel }).map((id) => [id, { name: id, limit }]));
  return {
    model: `${providerId}/${model}`,
    small_model: `${providerId}/${smallModel}`,
    provider: { [providerId]: { npm: '@ai-sdk/openai-compatible', name: 'modelsvc', options: { baseURL: root, apiKey: braces(key) }, models } },
  };
}

export function openCodeChanges(wiring: Wiring): Change[] {
  return leaves([], settings(wiring));
}

/** A process whose configuration is in a variable. */
export function openCodeSession(variable: string): (wiring: Wiring) => Session {
  return (wiring) => ({
    args: [],
    variables: { [variable]: JSON.stringify(settings({ ...wiring, key: { mode: 'env', variable: 'SVC_API_KEY' } })), SVC_API_KEY: keyPlaceholder },
  });
}

export function openCodeMcp(server: McpServer): Change[] {
  const path = ['mcp', server.name];
  // Without `oauth: false` the tool looks for an OAuth server first.
  if (server.kind === 'http')
    return leaves(path, { type: 'remote', url: server.url, headers: { Authorization: bearer(server.key, braces) }, oauth: false, enabled: true });
  const { command, args, env, keyVariable, key } = server;
  return leaves(path, { type: 'local', command: [command, ...args], environment: { ...env, [keyVariable]: braces(key) }, enabled: true });
}
