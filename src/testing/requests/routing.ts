import { allRoutes, modelsList, type Route } from '../../generated/routes.ts';
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
  readonly steps: readonly string[];
}

/** The model list below the Responses root: no operation of the client, but Codex asks for it. Scripted as `models.list`. */
export const codexModelList: Route = { ...modelsList, surface: 'responses' };

// Patterns with fewer parameters first, so that `/files/parser/sync` does not match as a file id.
const patterns: readonly PathPattern[] = [...allRoutes, codexModelList]
  .map((route) => ({ route, steps: route.path.split('/') }))
  .sort((a, b) => a.route.pathParameters.length - b.route.pathParameters.length);

/** Returns the route of a request, 404 if no path matches, or 405 if only the method differs. */
export function matchRoute(method: string, pathname: string): RouteMatch | 404 | 405 {
  let miss: 404 | 405 = 404;
  // Two roots can have a path in common: `/api/v1/agents` is below `/api` and not below `/api/v1`.
  for (const { root, path, surfaces } of rootSplits(pathname)) {
    const steps = path.split('/');
    for (const { route, steps: template } of patterns) {
      if (surfaces !== undefined && !surfaces.includes(route.surface)) continue;
      const parameters = matchSteps(template, steps);
      if (!parameters) continue;
      if (route.method === method) return { route, root, parameters };
      miss = 405;
    }
  }
  return miss;
}

function matchSteps(template: readonly string[], steps: readonly string[]): Record<string, string> | undefined {
  if (template.length !== steps.length) return undefined;
  const parameters: Record<string, string> = {};
  for (const [index, part] of template.entries()) {
    const step = steps[index] ?? '';
    if (!part.startsWith('{')) {
      if (part !== step) return undefined;
    } else {
      if (step === '') return undefined;
      parameters[part.slice(1, -1)] = decoded(step);
    }
  }
  return parameters;
}

function decoded(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}
