import { type FetchOptions, serviceFetch } from '../../src/fetch/index.ts';
import type { FakeService } from '../../src/testing/index.ts';
import { fakeKey } from '../../src/testing/index.ts';
import type { SurfaceDriver, SurfaceName } from '../support/both-ways.ts';

/** The two transports of the adapter. */
export const transports: readonly { readonly transport: string; readonly options: FetchOptions }[] = [
  { transport: 'node:http', options: {} },
  { transport: 'fetch', options: { httpClient: (url, init) => fetch(url, init) } },
];

/** How a client of one surface asks, as plain data. */
export interface Asking {
  readonly surface: SurfaceName;
  readonly operation: SurfaceDriver['operation'];
  readonly root: 'platform' | 'messages' | 'responses';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
  /** The end of a complete stream. */
  readonly ending: RegExp;
  /** A tool with a schema, in the form of the surface. */
  tool(schema: object): object;
}

const messages = [{ role: 'user', content: 'hi' }];

export const askings: readonly Asking[] = [
  {
    surface: 'chat',
    operation: 'chat.create',
    root: 'platform',
    path: '/chat/completions',
    headers: { authorization: `Bearer ${fakeKey}`, 'content-type': 'application/json', 'user-agent': 'OpenAI/JS 6.0.0' },
    body: { model: 'glm-5.2', messages },
    ending: /data: \[DONE\]\n\n$/,
    tool: (parameters) => ({ type: 'function', function: { name: 'weather', parameters } }),
  },
  {
    surface: 'messages',
    operation: 'anthropic.create',
    root: 'messages',
    path: '/v1/messages',
    headers: { 'x-api-key': fakeKey, 'anthropic-version': '2026-10-21', 'content-type': 'application/json', 'user-agent': 'Anthropic/JS 1.0.0' },
    body: { model: 'glm-5.2', max_tokens: 64, messages },
    ending: /event: message_stop\ndata: \{"type":"message_stop"\}\n\n$/,
    tool: (schema) => ({ name: 'weather', input_schema: schema }),
  },
  {
    surface: 'responses',
    operation: 'responses.create',
    root: 'responses',
    path: '/responses',
    headers: { authorization: `Bearer ${fakeKey}`, 'content-type': 'application/json', 'user-agent': 'OpenAI/JS 6.0.0' },
    body: { model: 'glm-5.2', input: messages },
    ending: /event: response\.completed\ndata: \{.*\}\n\n$/,
    tool: (parameters) => ({ type: 'function', name: 'weather', parameters }),
  },
];

/** Send the request of a client through the adapter. */
export function ask(
  fake: FakeService,
  asking: Asking,
  options: FetchOptions = {},
  { body = {}, headers = {}, signal }: { body?: Record<string, unknown>; headers?: Record<string, string>; signal?: AbortSignal } = {},
): Promise<Response> {
  const adapted = serviceFetch({ baseURL: fake.url, ...options });
  return adapted(fake.roots[asking.root] + asking.path, {
    method: 'POST',
    headers: { ...asking.headers, ...headers },
    body: JSON.stringify({ ...asking.body, ...body }),
    ...(signal && { signal }),
  });
}

/** The facts of a failed reply by which a client decides and reports. */
export async function failureOf(response: Response): Promise<{ status: number; original: string | null; retry: string | null; body: unknown }> {
  const { status, headers } = response;
  return { status, original: headers.get('x-modelsvc-status'), retry: headers.get('x-should-retry'), body: await response.json() };
}

/** The text of a body up to its end or failure. */
export async function read(response: Response): Promise<{ text: string; error: unknown }> {
  const decoder = new TextDecoder();
  let text = '';
  try {
    for await (const block of response.body ?? []) text += decoder.decode(block as Uint8Array, { stream: true });
    return { text, error: undefined };
  } catch (error) {
    return { text, error };
  }
}
