import { createFinalURL, createQuerySerializer, defaultPathSerializer } from 'openapi-fetch';
import type { Route } from '../../../generated/routes.ts';

const querySerializer = createQuerySerializer();

/** Build a URL whose path and query are serialized like those of the typed bindings. */
export function urlOf(root: string, route: Route, parameters: Readonly<Record<string, unknown>>): string {
  const path: Record<string, unknown> = {};
  const query: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(parameters)) (route.pathParameters.includes(name) ? path : query)[name] = value;
  return createFinalURL(route.path, { baseUrl: root, params: { path, query }, querySerializer, pathSerializer: defaultPathSerializer });
}
