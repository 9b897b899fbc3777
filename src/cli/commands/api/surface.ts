// The surface of a path, which selects the host.
import type { Client } from 'modelsvc';
import type { SurfacePaths } from 'modelsvc/types';
import { servicePaths, serviceRoots } from 'modelsvc/types';
import { usageError } from '../../errors/exit.ts';

type BoundSurface = keyof SurfacePaths;

const known = Object.entries(servicePaths) as [BoundSurface, readonly string[]][];

/** The surface of a path of the spec. A parameter of the path has any value. */
function surfaceOf(path: string): BoundSurface | undefined {
  const parts = path.split('?', 1)[0]?.split('/') ?? [];
  const fits = (template: string): boolean => {
    const names = template.split('/');
    return names.length === parts.length && names.every((name, at) => name === parts[at] || (name.startsWith('{') && parts[at] !== ''));
  };
  return known.find(([, paths]) => paths.some(fits))?.[0];
}

/** Paths of the roots, the longest first: the API reference includes them in some paths. */
const rootPaths = [...new Set(Object.values(serviceRoots).map(({ global }) => new URL(global).pathname))].sort((a, b) => b.length - a.length);

/** The path below its root: the root of a known path, else the longest root. */
function belowRoot(path: string): string {
  const below = rootPaths.filter((root) => path.startsWith(`${root}/`)).map((root) => path.slice(root.length));
  return below.find((one) => surfaceOf(one)) ?? below[0] ?? path;
}

/** The path below its root, and its surface. Paths that the spec lacks belong to the chat surface. */
export function placeOf(given: string): { readonly path: string; readonly surface: BoundSurface } {
  const path = belowRoot(given.startsWith('/') ? given : `/${given}`);
  // Such a path would leave its root.
  if (/[\\#\s\p{Cc}]/u.test(path) || path.split(/[/?]/).some((part) => /^(?:\.|%2e){1,2}$/i.test(part)))
    throw usageError('PATH must not contain ., .., backslashes, blanks or a fragment');
  return { path, surface: surfaceOf(path) ?? 'chat' };
}

type RawCall = (method: string, path: string, init: object) => Promise<{ readonly response: Response; readonly error?: unknown }>;

/** The bindings of a surface for any path: their types accept only the spec's. */
export function rawCall(client: Client, surface: BoundSurface): RawCall {
  return client.bindings(surface).request as unknown as RawCall;
}
