import { roots, type ServiceRoot } from '../../generated/roots.ts';

/** Name of a root in `Config.endpoints`. `platform` is the root of the chat surface. */
export type RootName = Exclude<ServiceRoot, 'chat'> | 'platform';

/** Paths of the roots below the fake's URL. The china root has a separate path, because the fake serves both regions on one host. */
const rootPaths: Readonly<Record<RootName, string>> = {
  platform: pathOf('chat'),
  coding: pathOf('coding'),
  china: `/china${pathOf('china')}`,
  messages: pathOf('messages'),
  responses: pathOf('responses'),
  agents: pathOf('agents'),
  monitor: pathOf('monitor'),
  biz: pathOf('biz'),
};

function pathOf(surface: ServiceRoot): string {
  return new URL(roots[surface].global).pathname;
}

const served: Readonly<Record<RootName, readonly ServiceRoot[]>> = {
  platform: ['chat', 'china'],
  coding: ['chat'],
  china: ['chat', 'china'],
  messages: ['messages'],
  responses: ['responses'],
  agents: ['agents'],
  monitor: ['monitor'],
  biz: ['biz'],
};

/** Returns the absolute URL of every root. */
export function rootsOf(url: string): Readonly<Record<RootName, string>> {
  const roots: Partial<Record<RootName, string>> = {};
  for (const name of names) roots[name] = url + rootPaths[name];
  return roots as Record<RootName, string>;
}

/** A path below a root, and the surfaces that the root serves. Both are undefined for the base URL, which serves all. */
export interface RootedPath {
  readonly root: RootName | undefined;
  readonly path: string;
  readonly surfaces: readonly ServiceRoot[] | undefined;
}

const names = Object.keys(rootPaths) as RootName[];
const longestFirst = [...names].sort((a, b) => rootPaths[b].length - rootPaths[a].length);

/** Every split of a path into its root and the path below it, the longest root first. The path itself if it is below none. */
export function rootSplits(path: string): readonly RootedPath[] {
  const splits = longestFirst
    .filter((name) => path.startsWith(`${rootPaths[name]}/`))
    .map((name): RootedPath => ({ root: name, path: path.slice(rootPaths[name].length), surfaces: served[name] }));
  return splits.length > 0 ? splits : [{ root: undefined, path, surfaces: undefined }];
}
