// The shapes that OpenCode shares with Kilo Code, which is built from it.
import { find } from '../edits/values.ts';
import { firstExisting, folderOf, inHome, inProject, type Machine, pathIn, xdgConfig } from '../machine.ts';
import { bearer, type McpServer, referenceWith } from '../mcp-servers.ts';
import { each, otherModel, sentHeaders, texts } from '../rivals.ts';
import { type Change, keyPlaceholder, leaves, modelIds, type Rival, type Session, type Wiring } from '../tool.ts';

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

/** Settings in the files of the user. Agents that a session begins with get the model of the wiring. */
export function openCodeRivals({ model }: Pick<Wiring, 'model'>): Rival[] {
  const own = ['provider', providerId];
  const value = `${providerId}/${model}`;
  const agents = [
    ['agent', '*', 'model'],
    ['mode', '*', 'model'],
  ];
  return [
    ...each(agents, {
      when: (_, [, name], content) => ['build', 'plan', 'code', find(content, ['default_agent'])].includes(name),
      value,
      effect: otherModel,
    }),
    ...each(agents, { when: (now) => now !== value, effect: 'this agent asks another model', isPartial: true }),
    {
      path: ['enabled_providers'],
      when: (now) => !texts(now).includes(providerId),
      value: (now) => [...texts(now), providerId],
      effect: 'it leaves the provider out',
    },
    {
      path: ['disabled_providers'],
      when: (now) => texts(now).includes(providerId),
      value: (now) => texts(now).filter((one) => one !== providerId),
      effect: 'it turns the provider off',
    },
    { path: [...own, 'models', model, 'id'], value: model, effect: otherModel },
    { path: [...own, 'options', 'headers'], effect: sentHeaders },
    ...each(
      [
        [...own, 'whitelist'],
        [...own, 'blacklist'],
      ],
      { effect: 'it can leave the model out' },
    ),
  ];
}

/** The folder of the user: the one that a variable names, which comes after the other folders and files, or that of the configuration. */
export function openCodeFolder(machine: Machine, name: string): string {
  return folderOf(machine, `${name.toUpperCase()}_CONFIG_DIR`, xdgConfig(machine, name));
}

/** The settings files of a tool in its folder of the user, in the order of `names`, which is that of precedence. */
export function openCodeFiles(machine: Machine, folder: string, names: readonly string[]): readonly string[] {
  return names.map((name) => pathIn(machine, openCodeFolder(machine, folder), name));
}

/** Files that come before those in the folder of the configuration: of projects, and below the home. A folder that a variable names comes before them. */
export function openCodeOthers(machine: Machine, folder: string, names: readonly string[]): readonly (readonly string[])[] {
  if (openCodeFolder(machine, folder) !== xdgConfig(machine, folder)) return [];
  const projects = names.flatMap((name) => [inProject(machine, `.${folder}`, name), inProject(machine, name)]);
  return [...projects, names.map((name) => inHome(machine, `.${folder}`, name))];
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
