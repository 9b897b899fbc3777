// The surface of a path, which selects the host.
import type { Client, SurfacePaths } from 'modelsvc';
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

/** Roots in the API reference, which includes them in some paths. */
const roots = /^\/api(?:\/(?:coding\/)?paas\/v4|\/anthropic|\/monitor|\/biz)?(?=\/)/;

/** The path below its root, and its surface. Paths that are in no table belong to the chat surface. */
export function placeOf(given: string): { readonly path: string; readonly surface: keyof SurfacePaths } {
  const path = (given.startsWith('/') ? given : `/${given}`).replace(roots, '');
  // Such a path would leave its root.
  if (/[\\#\s\p{Cc}]/u.test(path) || path.split(/[/?]/).some((part) => /^(?:\.|%2e){1,2}$/i.test(part)))
    throw usageError('PATH must not contain ., .., backslashes, blanks or a fragment');
  const name = path.split('?', 1)[0] ?? '';
  return { path, surface: Object.hasOwn(others, name) ? others[name as keyof typeof others] : 'chat' };
}

type RawCall = (method: string, path: string, init: object) => Promise<{ readonly response: Response; readonly error?: unknown }>;

/** The bindings of a surface for any path: their types accept only those of the spec. */
export function rawCall(client: Client, surface: keyof SurfacePaths): RawCall {
  return client.bindings(surface).request as unknown as RawCall;
}
