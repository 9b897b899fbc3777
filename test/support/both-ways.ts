import { describe } from 'vitest';
import { type CallContext, type Client, type Config, collect, newClient } from '../../src/overlay/index.ts';
import type { FakeService } from '../../src/testing/index.ts';

/** The two transports: `node:http(s)`, and fetch, which other runtimes and `httpClient` use. */
export const transports: readonly { readonly transport: string; readonly overrides: Partial<Config> }[] = [
  { transport: 'node:http', overrides: {} },
  { transport: 'fetch', overrides: { httpClient: (url, init) => fetch(url, init) } },
];

export type SurfaceName = 'chat' | 'messages' | 'responses';

/** The methods that the services of all surfaces have. Their requests differ. */
interface AnyService {
  create(ctx: CallContext, request: never): Promise<object>;
  stream(ctx: CallContext, request: never): AsyncIterableIterator<object>;
  runWithTools(ctx: CallContext, request: never, tools: never, options?: never): Promise<object>;
  streamWithTools(ctx: CallContext, request: never, tools: never, options?: never): AsyncIterableIterator<object>;
}

/** One surface as the fault tests drive it. */
export interface SurfaceDriver {
  readonly surface: SurfaceName;
  readonly operation: 'chat.create' | 'anthropic.create' | 'responses.create';
  readonly path: string;
  /** The reason of an answer that ended by itself. */
  readonly stop: string;
  create(client: Client, ctx?: CallContext): Promise<object>;
  stream(client: Client, ctx?: CallContext): AsyncIterableIterator<object>;
  service(client: Client): AnyService;
  /** A request about a text. */
  request(text: string, more?: object): never;
  /** The payload of a frame with a piece of the answer's text. */
  piece(text: string): object;
  /** The frames that end a stream. */
  readonly end: string;
}

interface Form extends Pick<SurfaceDriver, 'surface' | 'operation' | 'path' | 'stop' | 'service' | 'piece' | 'end'> {
  wire(text: string): object;
}

const done = 'data: [DONE]\n\n';

const forms: readonly Form[] = [
  {
    surface: 'chat',
    operation: 'chat.create',
    path: '/chat/completions',
    stop: 'stop',
    service: (client) => client.chat(),
    wire: (content) => ({ messages: [{ role: 'user', content }] }),
    piece: (content) => ({ id: '1', choices: [{ index: 0, delta: { content } }] }),
    end: done,
  },
  {
    surface: 'messages',
    operation: 'anthropic.create',
    path: '/v1/messages',
    stop: 'end_turn',
    service: (client) => client.anthropic(),
    wire: (content) => ({ max_tokens: 64, messages: [{ role: 'user', content }] }),
    piece: (text) => ({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }),
    end: 'event: message_stop\ndata: {"type":"message_stop"}\n\n',
  },
  {
    surface: 'responses',
    operation: 'responses.create',
    path: '/responses',
    stop: 'completed',
    service: (client) => client.responses(),
    wire: (content) => ({ input: [{ type: 'message', role: 'user', content }] }),
    piece: (delta) => ({ type: 'response.output_text.delta', item_id: 'm', output_index: 0, content_index: 0, delta }),
    end: `event: response.completed\ndata: {"type":"response.completed","response":{"id":"1","status":"completed","output":[]}}\n\n${done}`,
  },
];

export const surfaces: readonly SurfaceDriver[] = forms.map(({ wire, ...form }) => {
  const request = (text: string, more: object = {}): never => ({ model: 'glm-5.2', ...wire(text), ...more }) as never;
  return {
    ...form,
    request,
    create: (client, ctx) => form.service(client).create(ctx, request('hi')),
    stream: (client, ctx) => form.service(client).stream(ctx, request('hi')),
  };
});

/** Run the same tests on every transport and surface. */
export function onBothWays(
  run: (driver: SurfaceDriver, clientFor: (fake: FakeService, overrides?: Partial<Config>) => Client, transport: string) => void,
): void {
  describe.each(transports)('$transport', ({ transport, overrides: own }) => {
    describe.each(surfaces)('$surface', (driver) => {
      run(driver, (fake, overrides = {}) => newClient(fake.configFor({ ...own, ...overrides })), transport);
    });
  });
}

/** The response of a stream. */
export function collectedOf(stream: AsyncIterable<object>): Promise<object> {
  return collect(stream as never);
}

/** Runs the tool loop, whole or streamed, to the value that `toolRun` takes. Rejects with the error of the run. */
export async function looped(
  driver: SurfaceDriver,
  client: Client,
  { stream, tools, options, signal, request = driver.request('hi') }: LoopGiven,
): Promise<object> {
  const service = driver.service(client);
  const given = [signal, request, tools as never, options as never] as const;
  if (!stream) return service.runWithTools(...given);
  const items = service.streamWithTools(...given);
  for await (const _ of items);
  return items;
}

interface LoopGiven {
  readonly stream: boolean;
  readonly tools: unknown;
  readonly options?: object | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly request?: never;
}

/** The items of a stream, and the error that ended it. */
export async function taken(stream: AsyncIterable<object>): Promise<{ items: object[]; error: unknown }> {
  const items: object[] = [];
  try {
    for await (const item of stream) items.push(item);
    return { items, error: undefined };
  } catch (error) {
    return { items, error };
  }
}

/** The text in the items of any surface. */
export function textIn(items: readonly object[]): string {
  return items
    .map((item) => {
      const { choices, data, type, delta } = item as {
        choices?: { delta?: { content?: string } }[];
        data?: { delta?: { text?: string } };
        type?: string;
        delta?: string;
      };
      return choices?.[0]?.delta?.content ?? data?.delta?.text ?? (type === 'response.output_text.delta' ? delta : '') ?? '';
    })
    .join('');
}
