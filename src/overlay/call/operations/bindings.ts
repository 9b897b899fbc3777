// A type named Client here would make the bundler call our own `Client$1` in the declarations.
import type * as openapi from 'openapi-fetch';
import createClient from 'openapi-fetch';
import type { paths } from '../../../generated/operations.ts';
import { allRoutes, type BytesContent, type Route, type SurfacePaths } from '../../../generated/routes.ts';
import type { ModelsvcError } from '../../errors/errors.ts';
import { type Fields, fieldsOf, jsonOrUndefined } from '../../json/json-value.ts';
import { Problem } from '../../json/problem.ts';
import { secretsOf } from '../../secrets/clean.ts';
import type { UploadBody } from '../../transport/transport.ts';
import { openRaw } from '../reply/decode.ts';
import type { Reply } from '../reply/reply.ts';
import type { CallInput } from '../request/build-call.ts';
import { type Call, type CallOrigin, callOf, type RefusedReply, type RouteFacts, refusedCall } from '../request/call.ts';
import { send } from '../send.ts';
import { baseHeaders, checkedHeaders, jsonTypeOf } from '../settings/headers.ts';
import type { Settings } from '../settings/settings.ts';

/** The typed openapi-fetch client of one surface. */
export type Bindings<S extends keyof SurfacePaths> = openapi.Client<Plain<Pick<paths, SurfacePaths[S]>>, 'application/json'>;

/** openapi-fetch treats `string & {}` as an object and lists its methods, so open enums become plain strings. */
type Plain<T> = T extends string
  ? string extends T
    ? string
    : T
  : T extends Blob | ArrayBuffer | Uint8Array | AsyncIterable<unknown> | ((...parameters: never[]) => unknown)
    ? T
    : // openapi-fetch types data by the JSON content, and would map the methods of an ArrayBuffer to objects.
      T extends BytesContent
      ? { 'application/json': unknown }
      : T extends object
        ? { [K in keyof T]: Plain<T[K]> }
        : T;

/**
 * Replaces `Request`: openapi-fetch passes it to our fetch unchanged, so that the body can be sent again and the caller's own
 * signal is kept. Node 20 to 24 loses the signal of a Request after a garbage collection.
 */
class RequestCarrier {
  readonly url: string;
  readonly method: string;
  readonly headers: Headers;
  readonly body: unknown;
  readonly signal: AbortSignal | undefined;
  /** Path template of the operation; empty for a path that is not in the spec. */
  path = '';
  reply: Reply | undefined;

  constructor(url: string, init: RequestInit) {
    this.url = url;
    this.method = init.method ?? 'GET';
    this.headers = init.headers as Headers;
    this.body = init.body;
    this.signal = init.signal ?? undefined;
  }
}

/** Writes the fields of a form. */
export type FormWriter = (route: Route, fields: object) => CallInput;

/** The fields of a form that is not yet written. */
class FormFields {
  readonly route: Route;
  readonly given: object;

  constructor(route: Route, given: object) {
    this.route = route;
    this.given = given;
  }
}

/** An openapi-fetch client on top of the attempt loop of this package. */
export function bindingsClient<S extends keyof SurfacePaths>(settings: Settings, surface: S, write: FormWriter): Bindings<S> {
  const endpoint = settings.endpoints[surface];
  const base: Record<string, string> = baseHeaders(surface, 'raw', endpoint, settings);
  const routes = allRoutes.filter((route) => route.surface === surface);
  const client: Bindings<S> = createClient({
    baseUrl: endpoint.root,
    Request: RequestCarrier as unknown as typeof Request,
    fetch: async (request: unknown) => {
      const carrier = request as RequestCarrier;
      const { method, path, signal } = carrier;
      const route: RouteFacts & Pick<Route, 'request'> = routes.find((one) => one.path === path && one.method === method) ?? {
        method,
        path,
        surface,
      };
      const operation = `${method} ${path || '(a path outside the spec)'}`;
      const origin: CallOrigin = { operation, route, signals: signal ? [signal] : [] };
      let refused: Response | undefined;
      let call: Call;
      try {
        const form = carrier.body instanceof FormFields ? carrier.body : undefined;
        const { body, contentType } = form ? uploadOf(form, write) : await rawBody(abortable(carrier.body, signal));
        const given = checkedHeaders(Object.fromEntries(carrier.headers), 'headers');
        const { 'content-type': ours, ...own } = given;
        const type = contentType ?? (ours === 'application/json' ? jsonTypeOf(route) : undefined);
        call = callOf(
          {
            ...origin,
            endpoint,
            url: carrier.url,
            headers: { ...base, ...given, ...(type !== undefined && { 'content-type': type }) },
            secrets: secretsOf(settings, own),
            body,
            reply: 'raw',
            onRefused: (reply) => {
              refused = responseOf(reply);
            },
          },
          // A large body is not read without need.
          {
            fields:
              settings.gates || settings.purse || settings.hooks.length > 0 ? (form ? fieldsOf(form.given) : fieldsIn(carrier.body)) : undefined,
          },
          settings,
        );
      } catch (cause) {
        throw refusedCall(cause, origin, settings);
      }
      try {
        return await send(call, settings, async (reply) => {
          await openRaw(reply);
          carrier.reply = reply;
          return webResponse(reply);
        });
      } catch (error) {
        if (refused) return refused;
        throw error;
      }
    },
  });
  // The URL contains ids: only the path template may reach hooks and errors.
  client.use({
    onRequest: ({ request, schemaPath }) => {
      (request as unknown as RequestCarrier).path = routes.some(({ path }) => path === schemaPath) ? schemaPath : '';
    },
    onResponse: ({ request, response, options }) => {
      const { reply } = request as unknown as RequestCarrier;
      if (reply && response.ok && options.parseAs === 'json') refuseOtherThanJson(response, reply);
    },
  });
  return withForms(client, routes);
}

/** openapi-fetch writes and reads JSON by default. Its methods get other defaults for the routes of forms and bytes. */
function withForms<S extends keyof SurfacePaths>(client: Bindings<S>, routes: readonly Route[]): Bindings<S> {
  const request = client.request as (method: string, path: string, init?: object) => Promise<unknown>;
  const asked: typeof request = (method, path, init) => {
    const route = routes.find((one) => one.path === path && one.method === method.toUpperCase());
    const form = route?.request === 'multipart' && {
      bodySerializer: (given: object) => (given instanceof FormData ? given : new FormFields(route, given)),
    };
    return request(method, path, { ...form, ...(route?.reply === 'bytes' && { parseAs: 'arrayBuffer' }), ...init });
  };
  const methods = Object.keys(client).flatMap((name) => (name === name.toUpperCase() ? [[name, asked.bind(undefined, name)]] : []));
  return Object.assign(client, { request: asked }, Object.fromEntries(methods));
}

function uploadOf({ route, given }: FormFields, write: FormWriter): { readonly body: UploadBody; readonly contentType: string } {
  const { upload } = write(route, given);
  if (!upload) throw new Problem('', 'must be an object of fields, because it is sent as a form');
  return { body: upload, contentType: upload.contentType };
}

/** openapi-fetch parses the text of a success itself. The parser's own error would quote the reply. */
function refuseOtherThanJson(response: Response, reply: Reply): void {
  const read = (): Promise<string> => Response.prototype.text.call(response);
  const parse = (text: string): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      throw reply.unusable('malformed', `the reply (status ${reply.info.status}) is not JSON (${text.length} characters)`);
    }
  };
  const text = async (): Promise<string> => {
    const received = await read();
    if (received !== '') parse(received);
    return received;
  };
  Object.defineProperties(response, { text: { value: text }, json: { value: async () => parse(await read()) } });
}

/** The fields of a body that is JSON text or a form; none of another body. */
export function fieldsIn(body: unknown): Fields {
  if (body instanceof FormData) return Object.fromEntries(body);
  return typeof body === 'string' ? fieldsOf(jsonOrUndefined(body)) : {};
}

/**
 * Make a stream break off when the signal aborts. Other bodies are returned unchanged. Throws a TypeError, as fetch does, for a stream that
 * is locked or was read: the pipe would send it as an empty body.
 */
export function abortable<T>(body: T, signal: AbortSignal | undefined): T | ReadableStream {
  if (!(body instanceof ReadableStream)) return body;
  try {
    new Response(body);
  } catch (cause) {
    throw new TypeError('the request body is a stream that was already read or sent, or is being read: pass a new one', { cause });
  }
  // The platform refuses the signals of polyfills here.
  return signal instanceof AbortSignal ? body.pipeThrough(new TransformStream(), { signal }) : body;
}

/** Convert a body from openapi-fetch to one that can be sent again. */
export async function rawBody(body: unknown): Promise<{ body: string | UploadBody | undefined; contentType?: string | undefined }> {
  if (body === undefined || body === null || typeof body === 'string') return { body: body ?? undefined };
  const encoded = new Response(body as BodyInit);
  const contentType = encoded.headers.get('content-type') ?? undefined;
  const bytes = new Uint8Array(await encoded.arrayBuffer());
  const upload: UploadBody = {
    contentType: contentType ?? 'application/octet-stream',
    contentLength: bytes.length,
    replayable: true,
    async *open() {
      yield bytes;
    },
  };
  return { body: upload, contentType };
}

/** A refused reply as a Response; undefined for a status that a Response cannot have. */
function responseOf({ text, status, headers }: RefusedReply): Response | undefined {
  if (status < 200 || status > 599) return undefined;
  return new Response(hasBody(status) ? text : null, { status, headers });
}

/** False for the statuses whose Response must not have a body. */
function hasBody(status: number): boolean {
  return status !== 204 && status !== 205 && status !== 304;
}

/** Convert an open reply to the platform's Response. `shown` converts the error of its body. */
export function webResponse(reply: Reply, shown: (error: ModelsvcError) => unknown = (error) => error): Response {
  const { status, headers } = reply.info;
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      async pull(controller) {
        try {
          const block = await reply.body.next();
          if (block) return controller.enqueue(block as Uint8Array<ArrayBuffer>);
        } catch (cause) {
          return controller.error(shown(reply.failed(cause)));
        }
        reply.complete(undefined);
        controller.close();
      },
      cancel: () => reply.left(),
    },
    { highWaterMark: 0 },
  );
  reply.handOver(body);
  // Callers do not read an empty body, so the reply is completed here.
  const isEmpty = !hasBody(status) || reply.call.route.method === 'HEAD' || headers.get('content-length') === '0';
  if (!isEmpty) return new Response(body, { status, headers });
  reply.complete(undefined);
  reply.body.linger();
  return new Response(null, { status, headers });
}
