// The shapes that OpenCode shares with Kilo Code, which is built from it.
import { firstExisting, type Machine, pathIn, xdgConfig } from '../machine.ts';
import { bearer, type McpServer, referenceWith } from '../mcp-servers.ts';
import { type Change, keyPlaceholder, leaves, modelIds, type Session, type Wiring } from '../tool.ts';
import { fieldsAt, listAt, present, sentHeaders, valueAt, type Winner, type Winners } from '../winners.ts';

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

export const openCodeWinners: Winners = (content, { model }) => {
  const path = ['provider', providerId];
  const id = [...path, 'models', model, 'id'];
  const lists: Winner[] = [];
  const [enabled, disabled] = ['enabled_providers', 'disabled_providers'].map((name) =>
    listAt(content, name).filter((one) => typeof one === 'string'),
  );
  if (valueAt(content, 'enabled_providers') !== undefined && enabled && !enabled.includes(providerId))
    lists.push({ path: ['enabled_providers'], value: [...enabled, providerId], effect: 'it leaves the provider out' });
  if (disabled?.includes(providerId))
    lists.push({ path: ['disabled_providers'], value: disabled.filter((one) => one !== providerId), effect: 'it turns the provider off' });
  return [
    ...agentModels(content, `${providerId}/${model}`),
    ...lists,
    ...(valueAt(content, ...id) === undefined ? [] : [{ path: id, value: model, effect: 'it chooses another model' }]),
    ...present(content, [[...path, 'options', 'headers']], { effect: sentHeaders }),
    ...present(
      content,
      [
        [...path, 'whitelist'],
        [...path, 'blacklist'],
      ],
      { effect: 'it can leave the model out' },
    ),
  ];
};

/** Models of agents. The agents that a session begins with get the model of the wiring. */
function agentModels(content: unknown, value: string): Winner[] {
  const primary = ['build', 'plan', 'code', valueAt(content, 'default_agent')];
  return ['agent', 'mode'].flatMap((section) =>
    Object.entries(fieldsAt(content, section)).flatMap(([name, agent]): Winner[] => {
      const path = [section, name, 'model'];
      if (valueAt(agent, 'model') === undefined) return [];
      if (primary.includes(name)) return [{ path, value, effect: 'it chooses another model' }];
      return valueAt(agent, 'model') === value ? [] : [{ path, effect: 'this agent asks another model', isPartial: true }];
    }),
  );
}

/** The settings files of a tool in its folder of the user, in the order of `names`, which is that of precedence. */
export function openCodeFiles(machine: Machine, folder: string, names: readonly string[]): readonly string[] {
  return names.map((name) => pathIn(machine, xdgConfig(machine, folder), name));
}

/** The existing file that takes precedence; otherwise the last. */
export function openCodeFile(machine: Machine, folder: string, names: readonly string[]): string {
  const files = openCodeFiles(machine, folder, names);
  return firstExisting(machine, files, files.at(-1) ?? '');
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
