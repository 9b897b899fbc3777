import { createFinalURL, createQuerySerializer, defaultPathSerializer } from 'openapi-fetch';
import type { Route } from '../../../generated/routes.ts';
import { contextFields } from '../../context.ts';
import { wellFormed } from '../../json/cut.ts';
import { fieldsOf, isObject } from '../../json/json-value.ts';
import { Problem } from '../../json/problem.ts';
import { misplaced } from '../../validation/misplaced.ts';
import { check } from '../../validation/validation.ts';
import { checkedHeaders } from '../settings/headers.ts';

type Parameters = Readonly<Record<string, unknown>>;

/** The given parameters, checked; undefined if there are none. `isVendor`: the vendor's own ranges and names apply. */
export function checkedParameters(route: Route, given: object | undefined, isVendor: boolean): Parameters | undefined {
  if (given === undefined && route.rules?.parameters === undefined) return undefined;
  const parameters = Object.fromEntries(Object.entries<unknown>({ ...given }).filter(([, value]) => value !== undefined && value !== null));
  const option = misplaced(route.rules?.parameters, parameters, isVendor);
  if (option) throw option;
  for (const [name, value] of Object.entries(parameters)) checkFlat(name, value);
  check(route.rules?.parameters, parameters, isVendor);
  checkPath(route, parameters);
  return Object.keys(parameters).length > 0 ? parameters : undefined;
}

/** True for a query of the route: fields among which are some of its parameters and none of a context. */
export function isQuery(route: Route, value: unknown): boolean {
  const names = Object.keys(fieldsOf(value));
  return (
    names.some((name) => Object.hasOwn(route.rules?.parameters?.properties ?? {}, name)) && !names.some((name) => Object.hasOwn(contextFields, name))
  );
}

/** Refuse a value that a URL cannot have. */
function checkFlat(name: string, value: unknown): void {
  const parts: readonly unknown[] = isObject(value) ? Object.values(value) : [value];
  if (parts.some((part) => isObject(part) || typeof part === 'function' || typeof part === 'symbol'))
    throw new Problem(name, 'must be text, a number, true or false');
}

/** Check that an id is one path segment: `..` would reach another URL, and a blank id would reach the list. */
function checkPath(route: Route, parameters: Parameters): void {
  for (const name of route.pathParameters) {
    const text = String(parameters[name] ?? '');
    if (text.trim() === '') throw new Problem(name, 'must not be blank');
    if (/^\.\.?$/.test(text)) throw new Problem(name, 'must not be "." or ".."');
    const json = JSON.stringify(text);
    if (wellFormed(json) !== json) throw new Problem(name, 'must be well-formed text');
  }
}

const querySerializer = createQuerySerializer();

/** Build a URL whose path and query are serialized as in the typed bindings. Parameters of headers are put into `headers`. */
export function urlOf(root: string, route: Route, parameters: Readonly<Record<string, unknown>>, headers: Record<string, string>): string {
  const path: Record<string, unknown> = {};
  const query: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(parameters))
    if (route.headerParameters?.includes(name)) Object.assign(headers, checkedHeaders({ [name]: String(value) }, name));
    else (route.pathParameters.includes(name) ? path : query)[name] = value;
  return createFinalURL(route.path, { baseUrl: root, params: { path, query }, querySerializer, pathSerializer: defaultPathSerializer });
}
