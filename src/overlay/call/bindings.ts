// Named imports would make the bundler call our own Client `Client$1` in the declarations.
import type * as openapi from 'openapi-fetch';
import type { paths } from '../../generated/operations.ts';
import type { SurfacePaths } from '../../generated/routes.ts';

/** The typed openapi-fetch client of one surface. */
export type Bindings<S extends keyof SurfacePaths> = openapi.Client<Plain<Pick<paths, SurfacePaths[S]>>, 'application/json'>;

/** openapi-fetch takes `string & {}` for an object and would list its methods: here open words are plain strings. */
type Plain<T> = T extends string
  ? string extends T
    ? string
    : T
  : T extends Blob | ArrayBuffer | Uint8Array | AsyncIterable<unknown> | ((...parameters: never[]) => unknown)
    ? T
    : T extends object
      ? { [K in keyof T]: Plain<T[K]> }
      : T;
