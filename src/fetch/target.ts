import { allRoutes, type Route, roots } from '../generated/routes.ts';

/** The origins of the service. A key is sent to no other. */
export const serviceOrigins: ReadonlySet<string> = new Set(
  Object.values(roots).flatMap((one) => Object.values(one).map((root) => new URL(root).origin)),
);

interface Pattern {
  readonly route: Route;
  readonly steps: readonly string[];
}

/** Patterns with fewer parameters first, so that `/files/parser/sync` does not match as a file id; then longer ones. */
const patterns: readonly Pattern[] = allRoutes
  .map((route) => ({ route, steps: route.path.slice(1).split('/') }))
  .sort((a, b) => a.route.pathParameters.length - b.route.pathParameters.length || b.steps.length - a.steps.length);

/** The operation whose path ends the path of the URL, under any root. Undefined for a path outside the spec. */
export function routeOf(method: string, url: URL): Route | undefined {
  const steps = url.pathname.split('/');
  return patterns.find(({ route, steps: template }) => route.method === method && endsWith(steps, template))?.route;
}

function endsWith(steps: readonly string[], template: readonly string[]): boolean {
  const start = steps.length - template.length;
  return start >= 1 && template.every((part, index) => (part.startsWith('{') ? steps[start + index] !== '' : steps[start + index] === part));
}

/** The root that a URL has before the path of its operation. Without an operation, the whole URL but its query. */
export function rootIn({ origin, pathname }: URL, route: Route | undefined): string {
  const steps = pathname.split('/');
  return origin + (route ? steps.slice(0, steps.length - route.path.slice(1).split('/').length).join('/') : pathname);
}

/** Some clients expect `/v1` in the base URL of the message surface and some do not: both forms reach `/v1/messages`. */
export function withMessagesPath(url: URL): URL {
  const path = url.pathname.replace(/(?:\/v1)*(\/messages(?:\/count_tokens)?)$/, '/v1$1');
  if (path === url.pathname) return url;
  const mended = new URL(url);
  mended.pathname = path;
  return mended;
}
