import { describe } from 'vitest';
import { type CallContext, type Client, type Config, newClient } from '../../src/overlay/index.ts';
import type { FakeService } from '../../src/testing/index.ts';

/** The two transports: `node:http(s)`, and fetch, which other runtimes and `httpClient` use. */
export const transports: readonly { readonly transport: string; readonly overrides: Partial<Config> }[] = [
  { transport: 'node:http', overrides: {} },
  { transport: 'fetch', overrides: { httpClient: (url, init) => fetch(url, init) } },
];

export type SurfaceName = 'chat' | 'messages' | 'responses';

/** One surface as the fault tests drive it. */
export interface SurfaceDriver {
  readonly surface: SurfaceName;
  readonly operation: 'chat.create' | 'anthropic.create' | 'responses.create';
  create(client: Client, ctx?: CallContext): Promise<object>;
  stream(client: Client, ctx?: CallContext): AsyncIterableIterator<object>;
}

const messages = [{ role: 'user' as const, content: 'hi' }];

export const surfaces: readonly SurfaceDriver[] = [
  {
    surface: 'chat',
    operation: 'chat.create',
    create: (client, ctx) => client.chat().create(ctx, { model: 'glm-5.2', messages }),
    stream: (client, ctx) => client.chat().stream(ctx, { model: 'glm-5.2', messages }),
  },
  {
    surface: 'messages',
    operation: 'anthropic.create',
    create: (client, ctx) => client.anthropic().create(ctx, { model: 'glm-5.2', max_tokens: 64, messages }),
    stream: (client, ctx) => client.anthropic().stream(ctx, { model: 'glm-5.2', max_tokens: 64, messages }),
  },
  {
    surface: 'responses',
    operation: 'responses.create',
    create: (client, ctx) => client.responses().create(ctx, { model: 'glm-5.2', input: 'hi' }),
    stream: (client, ctx) => client.responses().stream(ctx, { model: 'glm-5.2', input: 'hi' }),
  },
];

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
