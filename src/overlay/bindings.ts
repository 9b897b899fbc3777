import type { Middleware, Client as OpenapiClient } from 'openapi-fetch';
import type { SurfacePaths } from '../generated/routes.ts';
import type { paths } from '../generated/types.ts';
import type { Settings } from './config.ts';
import { Part } from './part.ts';
import { snapshot } from './snapshot.ts';

/** The typed openapi-fetch client of one surface. */
export type Bindings<S extends keyof SurfacePaths> = OpenapiClient<Plain<Pick<paths, SurfacePaths[S]>>, 'application/json'>;

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

const methods = ['GET', 'PUT', 'POST', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH', 'TRACE', 'request'] as const;

const clients = /* @__PURE__ */ new Part(() => import('./bindings-client.ts'));

/** The bindings of a surface; openapi-fetch itself is loaded at their first call. */
export function openBindings<S extends keyof SurfacePaths>(settings: Settings, surface: S): Bindings<S> {
  const middleware: Middleware[] = [];
  let client: Bindings<S> | undefined;
  const open = async (): Promise<Bindings<S>> => {
    const { bindingsClient } = clients.here ?? (await clients.load('bindings'));
    if (!client) {
      client = bindingsClient(settings, surface);
      client.use(...middleware);
    }
    return client;
  };
  const call =
    (method: (typeof methods)[number]) =>
    async (...request: unknown[]): Promise<unknown> => {
      const kept = client ? request : snapshot(request);
      return ((client ?? (await open()))[method] as (...request: unknown[]) => Promise<unknown>)(...kept);
    };
  return {
    ...(Object.fromEntries(methods.map((method) => [method, call(method)])) as unknown as Bindings<S>),
    use(...added: Middleware[]) {
      middleware.push(...added);
      client?.use(...added);
    },
    eject(...removed: Middleware[]) {
      for (const one of removed) if (middleware.includes(one)) middleware.splice(middleware.indexOf(one), 1);
      client?.eject(...removed);
    },
  };
}
