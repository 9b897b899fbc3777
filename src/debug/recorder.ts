import { allRoutes, type Route } from '../generated/routes.ts';
import type { FileUpload } from '../generated/types.ts';
import { resolveConfig } from '../overlay/call/settings/settings.ts';
import { Client } from '../overlay/client.ts';
import type { Config } from '../overlay/config.ts';
import { ConfigError } from '../overlay/errors/errors.ts';
import { validationError } from '../overlay/errors/problem.ts';
import { baseName } from '../overlay/files/multipart.ts';
import type { Hook } from '../overlay/hooks/hook.ts';
import { bounded } from '../overlay/json/cut.ts';
import { isFields } from '../overlay/json/json-value.ts';
import { nearestName } from '../overlay/json/known-fields.ts';
import { Problem } from '../overlay/json/problem.ts';
import type { Transport, WireRequest } from '../overlay/transport/transport.ts';

/** The methods that stream, and the operation that they call. */
const streams: Readonly<Record<string, string>> = {
  'chat.stream': 'chat.create',
  'anthropic.stream': 'anthropic.create',
  'agents.stream': 'agents.invoke',
  'audio.transcribeStream': 'audio.transcribe',
  'audio.speechStream': 'audio.speech',
};

/** The key of every recorded request. */
const placeholderKey = 'PLACEHOLDER-KEY';

type Method = (ctx: undefined, ...given: readonly unknown[]) => unknown;

/**
 * The request that the client would send, made by the client itself over a transport that only records. Throws a ValidationError for an
 * unknown operation or an invalid request.
 */
export function recordedRequest(operation: string, request: unknown, options: Partial<Config>): WireRequest {
  const route = routeOf(operation);
  let sent: WireRequest | undefined;
  let failure: unknown;
  const transport: Transport = {
    open(given) {
      sent = given;
      throw new Error('recorded');
    },
    close() {},
  };
  // The service methods are async: only a hook gets their error synchronously.
  const hook: Hook = { onEnd: (_meta, { error }) => void (failure ??= error) };
  const settings = settingsOf(options, hook);
  const headers = Object.fromEntries(Object.keys(settings.headers ?? {}).map((name) => [name, 'PLACEHOLDER']));
  const client = new Client({ ...settings, headers, transport, gates: undefined });
  const [service = '', method = ''] = operation.split('.');
  const owner = service === 'client' ? client : (client as unknown as Record<string, () => object>)[service]?.();
  const result = (owner as Readonly<Record<string, Method>>)[method]?.(undefined, ...argumentsOf(operation, route, request));
  // A stream sends its request when its first item is requested.
  const settled = route.id === operation ? result : (result as AsyncIterator<unknown>).next();
  (settled as Promise<unknown>).catch(() => undefined);
  if (sent) return sent;
  throw failure ?? validationError(operation, new Problem('', 'cannot be written as a request'));
}

function routeOf(operation: unknown): Route {
  const name = typeof operation === 'string' ? operation : '';
  const id = Object.hasOwn(streams, name) ? streams[name] : name;
  const route = allRoutes.find((one) => one.id === id);
  if (route) return route;
  const near = nearestName(name, [...allRoutes.map((one) => one.id), ...Object.keys(streams)]);
  const advice = near === undefined ? 'use the id of an operation, for instance chat.create' : `did you mean ${near}?`;
  throw validationError('toCurl', new Problem(`operation ${JSON.stringify(bounded(name, 64))}`, `is unknown; ${advice}`));
}

function settingsOf(options: Partial<Config>, hook: Hook): ReturnType<typeof resolveConfig> {
  if (!isFields(options)) throw new ConfigError('toCurl: options must be an object');
  const keys = { apiKey: placeholderKey, chinaAPIKey: placeholderKey };
  // With `httpClient`, no pool of sockets is created.
  const { ca: _ca, agent: _agent, ...rest } = options;
  const httpClient: NonNullable<Config['httpClient']> = (url, init) => fetch(url, init);
  return resolveConfig({ ...rest, ...keys, maxRetries: 0, retryFor: 0, hooks: [hook], httpClient, dangerouslyAllowBrowser: true });
}

/** The arguments of the method after the context: the ids of the path one by one, or the request. */
function argumentsOf(operation: string, route: Route, request: unknown): readonly unknown[] {
  if (!isFields(request)) throw validationError(operation, new Problem('', 'must be an object'));
  if (route.pathParameters.length > 0) return route.pathParameters.map((name) => request[name]);
  const { file } = request;
  if (route.request !== 'multipart' || typeof file !== 'string') return [request];
  if (file === '') throw validationError(operation, new Problem('file', 'must not be empty'));
  return [{ ...request, file: namedFile(file) }];
}

/** A file that has only a name. It is never opened. */
function namedFile(path: string): FileUpload {
  return { name: baseName(path), async *open() {} };
}
