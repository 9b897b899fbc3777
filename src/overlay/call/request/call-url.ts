import { createFinalURL, createQuerySerializer, defaultPathSerializer } from 'openapi-fetch';
import type { Route } from '../../../generated/routes.ts';
import { checkedHeaders } from '../settings/headers.ts';

const querySerializer = createQuerySerializer();

/** Build a URL whose path and query are serialized like those of the typed bindings. Parameters of headers are put into `headers`. */
export function urlOf(root: string, route: Route, parameters: Readonly<Record<string, unknown>>, headers: Record<string, string>): string {
  const path: Record<string, unknown> = {};
  const query: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(parameters))
    if (route.headerParameters?.includes(name)) Object.assign(headers, checkedHeaders({ [name]: String(value) }, name));
    else (route.pathParameters.includes(name) ? path : query)[name] = value;
  return createFinalURL(route.path, { baseUrl: root, params: { path, query }, querySerializer, pathSerializer: defaultPathSerializer });
}
