// The shapes that OpenCode shares with Kilo Code, which is built from it.
import { find } from '../edits/values.ts';
import { firstExisting, folderOf, inHome, inProject, type Machine, pathIn, xdgConfig, xdgData } from '../machine.ts';
import { bearer, type McpServer, referenceWith } from '../mcp-servers.ts';
import { each, otherModel, sentHeaders, texts } from '../rivals.ts';
import { type Change, type CodingTool, keyPlaceholder, leaves, modelIds, type Rival, type Session, type Wiring } from '../tool.ts';

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

/** Properties in which the tools of this kind differ. */
interface OpenCodeKind {
  /** Also the name of its program and of its folders. */
  readonly id: string;
  readonly name: string;
  /** Names of its settings file, in order of precedence. */
  readonly names: readonly string[];
  /** How to start it. */
  readonly start: string;
  /** Settings of the machine and of the project that come before the user's. */
  fileRivals(machine: Machine): Rival[];
}

/** A tool with the files of OpenCode. */
export function openCodeLike({ id, name, names, start, fileRivals }: OpenCodeKind): CodingTool {
  const variable = `${id.toUpperCase()}_CONFIG`;
  /** The existing file that takes precedence; otherwise the last. */
  const file = (machine: Machine): string => {
    const files = filesOf(machine, id, names);
    return firstExisting(machine, files, files.at(-1) ?? '');
  };
  return {
    id,
    name,
    isListed: true,
    program: id,
    surface: 'chat',
    keyModes: ['env', 'plain'],
    mcpKeyModes: ['env', 'plain'],
    traces: (machine) => [folderIn(machine, id), xdgData(machine, id)],
    load: (wiring, machine) => [{ file: file(machine), format: 'jsonc', changes: leaves([], settings(wiring)) }],
    mcp: (server, machine) => ({ file: file(machine), format: 'jsonc', changes: mcpChanges(server) }),
    session: (wiring) => session(`${variable}_CONTENT`, wiring),
    rivals: ({ machine, model }) => [
      { variable: `${variable}_CONTENT`, effect: 'it comes before every file' },
      { variable, effect: 'its file comes before yours' },
      ...fileRivals(machine),
      ...settingRivals(model),
    ],
    after: () => [start],
  };
}

/** Settings in the files of the user. Agents that a session begins with get the model of the wiring. */
function settingRivals(model: string): Rival[] {
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

/** The folder of the user: the one that a variable names, which comes after the other folders and files, or the folder of the configuration. */
function folderIn(machine: Machine, name: string): string {
  return folderOf(machine, `${name.toUpperCase()}_CONFIG_DIR`, xdgConfig(machine, name));
}

/** The settings files of a tool in its folder of the user, in the order of `names`, which is their precedence. */
export function filesOf(machine: Machine, folder: string, names: readonly string[]): readonly string[] {
  return names.map((name) => pathIn(machine, folderIn(machine, folder), name));
}

/** Files that come before those in the folder of the configuration: of projects, and below the home. A folder that a variable names comes before them. */
export function earlierFiles(machine: Machine, folder: string, names: readonly string[]): readonly (readonly string[])[] {
  if (folderIn(machine, folder) !== xdgConfig(machine, folder)) return [];
  const projects = names.flatMap((name) => [inProject(machine, `.${folder}`, name), inProject(machine, name)]);
  return [...projects, names.map((name) => inHome(machine, `.${folder}`, name))];
}

/** A process whose configuration is in a variable. */
function session(variable: string, wiring: Wiring): Session {
  const content = JSON.stringify(settings({ ...wiring, key: { mode: 'env', variable: 'SVC_API_KEY' } }));
  return { args: [], variables: { [variable]: content, SVC_API_KEY: keyPlaceholder } };
}

function mcpChanges(server: McpServer): Change[] {
  const path = ['mcp', server.name];
  // Without `oauth: false` the tool looks for an OAuth server first.
  if (server.kind === 'http')
    return leaves(path, { type: 'remote', url: server.url, headers: { Authorization: bearer(server.key, braces) }, oauth: false, enabled: true });
  const { command, args, env, keyVariable, key } = server;
  return leaves(path, { type: 'local', command: [command, ...args], environment: { ...env, [keyVariable]: braces(key) }, enabled: true });
}
