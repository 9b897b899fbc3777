import { allRoutes, modelsList, type Route } from '../../generated/routes.ts';
import { nearestName } from '../../overlay/json/known-fields.ts';
import { type RootName, rootSplits } from './roots.ts';

/** The operation that a request line selects. */
export interface RouteMatch {
  readonly route: Route;
  readonly root: RootName | undefined;
  /** Path parameters, decoded. */
  readonly parameters: Readonly<Record<string, string>>;
}

interface PathPattern {
  readonly route: Route;
  readonly form: RegExp;
  readonly names: readonly string[];
}

/** The model list below the Responses root: no operation of the client, but Codex asks for it. Scripted as `models.list`. */
export const codexModelList: Route = { ...modelsList, surface: 'responses' };

// Patterns with fewer parameters first, so that `/files/parser/sync` does not match as a file id, then those with more text of their own.
const patterns: readonly PathPattern[] = [...allRoutes, codexModelList]
  .map((route) => {
    // Every second piece is the name of a parameter.
    const pieces = route.path.split(/\{([^}]*)\}/);
    const form = pieces.map((piece, index) => (index % 2 === 0 ? piece.replace(/[.*+?^$()|[\]\\]/g, '\\$&') : '([^/]+)')).join('');
    return { route, form: new RegExp(`^${form}$`), names: pieces.filter((_, index) => index % 2 === 1) };
  })
  .sort(({ route: one }, { route: other }) => one.pathParameters.length - other.pathParameters.length || ownText(other) - ownText(one));

function ownText({ path }: Route): number {
  return path.replaceAll(/\{[^}]*\}/g, '').length;
}

/** Returns the route of a request, 404 if no path matches, or 405 if only the method differs. */
export function matchRoute(method: string, pathname: string): RouteMatch | 404 | 405 {
  const matches = matchesOf(pathname);
  return matches.find(({ route }) => route.method === method) ?? (matches.length > 0 ? 405 : 404);
}

/** The operations at a path, whatever their methods. */
function matchesOf(pathname: string): RouteMatch[] {
  const matches: RouteMatch[] = [];
  // Two roots can have a path in common: `/api/v1/agents` is below `/api` and not below `/api/v1`.
  for (const { root, path, surfaces } of rootSplits(pathname)) {
    for (const { route, form, names } of patterns) {
      const found = surfaces === undefined || surfaces.includes(route.surface) ? form.exec(path) : null;
      if (found) matches.push({ route, root, parameters: Object.fromEntries(names.map((name, at) => [name, decoded(found[at + 1] ?? '')])) });
    }
  }
  return matches;
}

/** The operation that was probably meant by a request that has none, as `POST /chat/completions`. Undefined if none resembles it. */
export function servedInstead(method: string, pathname: string): string | undefined {
  const steps = pathname.split('/').filter((step) => step !== '');
  const ends = steps.map((_, index) => `/${steps.slice(index).join('/')}`);
  const found = ends.map(matchesOf).find((matches) => matches.length > 0);
  const near =
    found?.map(({ route }) => route) ?? patterns.map(({ route }) => route).filter(({ path }) => path === nearestName(ends[0] ?? '', paths));
  const route = near.find((one) => one.method === method) ?? near[0];
  return route && `${route.method} ${route.path}`;
}

const paths = patterns.map(({ route }) => route.path);

function decoded(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}
