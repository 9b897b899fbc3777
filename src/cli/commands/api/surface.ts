// The surface of a path, which selects the host.
import type { Client, SurfacePaths } from 'modelsvc';
import { serviceRoots } from 'modelsvc/types';
import { usageError } from '../../errors/exit.ts';

type Other = Exclude<keyof SurfacePaths, 'chat'>;

/** Every path of the spec that is not on the chat surface. The compiler compares it with the spec. */
const others: { readonly [S in Other as SurfacePaths[S]]: S } = {
  '/v1/agents': 'agents',
  '/v1/agents/async-result': 'agents',
  '/v1/agents/conversation': 'agents',
  '/account/info': 'biz',
  '/account/status': 'biz',
  '/subscription/list': 'biz',
  '/embeddings': 'china',
  '/moderations': 'china',
  '/responses': 'responses',
  '/responses/{response_id}': 'responses',
  '/responses/{response_id}/input_items': 'responses',
  '/v1/messages': 'messages',
  '/v1/messages/count_tokens': 'messages',
  '/usage/quota/limit': 'monitor',
  '/usage/model-usage': 'monitor',
  '/usage/tool-usage': 'monitor',
  '/credit-usage/usage-detail': 'monitor',
  '/credit-usage/activity': 'monitor',
};

/** Paths of the roots, the longest first: the API reference includes them in some paths. */
const rootPaths = [...new Set(Object.values(serviceRoots).map(({ global }) => new URL(global).pathname))].sort((a, b) => b.length - a.length);

/** The path below its root: that of a known path, else below the longest root. */
function belowRoot(path: string): string {
  const below = rootPaths.filter((root) => path.startsWith(`${root}/`)).map((root) => path.slice(root.length));
  return below.find((one) => Object.hasOwn(others, nameOf(one))) ?? below[0] ?? path;
}

function nameOf(path: string): string {
  return path.split('?', 1)[0] ?? '';
}

/** The path below its root, and its surface. Paths that are in no table belong to the chat surface. */
export function placeOf(given: string): { readonly path: string; readonly surface: keyof SurfacePaths } {
  const path = belowRoot(given.startsWith('/') ? given : `/${given}`);
  // Such a path would leave its root.
  if (/[\\#\s\p{Cc}]/u.test(path) || path.split(/[/?]/).some((part) => /^(?:\.|%2e){1,2}$/i.test(part)))
    throw usageError('PATH must not contain ., .., backslashes, blanks or a fragment');
  const name = nameOf(path);
  return { path, surface: Object.hasOwn(others, name) ? others[name as keyof typeof others] : 'chat' };
}

type RawCall = (method: string, path: string, init: object) => Promise<{ readonly response: Response; readonly error?: unknown }>;

/** The bindings of a surface for any path: their types accept only those of the spec. */
export function rawCall(client: Client, surface: keyof SurfacePaths): RawCall {
  return client.bindings(surface).request as unknown as RawCall;
}
