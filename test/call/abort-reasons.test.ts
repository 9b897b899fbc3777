import { describe, expect, test } from 'vitest';
import { type Client, type Config, defineTool, mapCalls, newClient } from '../../src/overlay/index.ts';
import { type FakeService, faults } from '../../src/testing/index.ts';
import { surfaces, transports } from '../support/both-ways.ts';
import { until } from '../support/clock.ts';
import { failure } from '../support/failure.ts';
import { openFake } from '../support/fake.ts';

interface Scene {
  readonly fake: FakeService;
  readonly signal: AbortSignal;
  /** Aborts the signal, in the next turn of the event loop. */
  abort(): void;
  clientFor(overrides?: Partial<Config>): Client;
}

const never = new Promise<never>(() => undefined);
const request = { model: 'glm-5.2', messages: [{ role: 'user' as const, content: 'hi' }] };

/** Every request comes, causes the abort, and is not answered. */
function silent({ fake, abort }: Scene): void {
  fake.fallback('*', () => {
    abort();
    return faults.silentBeforeHeaders();
  });
}

/** Calls that an abort ends in one of their waits. */
const waits: readonly (readonly [name: string, call: (scene: Scene) => Promise<unknown>])[] = [
  ...surfaces.flatMap(({ surface, operation, create, stream, service, request: requestOf }): [string, (scene: Scene) => Promise<unknown>][] => [
    [
      `${surface}, the response header`,
      (scene) => {
        silent(scene);
        return create(scene.clientFor(), scene.signal);
      },
    ],
    [
      `${surface}, the header of a stream`,
      (scene) => {
        silent(scene);
        return stream(scene.clientFor(), scene.signal).next();
      },
    ],
    [
      `${surface}, the next item of a stream`,
      async ({ fake, signal, abort, clientFor }) => {
        fake.answer(operation, faults.silentAfterHeaders(1));
        for await (const _item of stream(clientFor(), signal)) abort();
      },
    ],
    [
      `${surface}, the back-off`,
      ({ fake, signal, abort, clientFor }) => {
        fake.fallback(operation, faults.error(503, '500'));
        return create(clientFor({ retryDelay: 30_000, hooks: [{ onRetry: abort }] }), signal);
      },
    ],
    [
      `${surface}, a place of the gate`,
      async ({ fake, signal, abort, clientFor }) => {
        fake.fallback(operation, faults.silentBeforeHeaders());
        const client = clientFor({ concurrency: 1, hooks: [{ onQueue: abort }] });
        create(client).catch(() => undefined);
        await until(() => fake.requests.length === 1);
        return create(client, signal);
      },
    ],
    [
      `${surface}, a tool`,
      ({ fake, signal, abort, clientFor }) => {
        fake.fallback(operation, { turn: { toolCalls: [{ name: 'hang' }] } });
        const run = (): Promise<never> => {
          abort();
          return never;
        };
        const tools = [defineTool({ name: 'hang', description: 'hangs', input: { type: 'object', properties: {} }, run })];
        return service(clientFor()).runWithTools(signal, requestOf('hi'), tools as never);
      },
    ],
  ]),
  [
    'the key',
    ({ signal, abort, clientFor }) => {
      const apiKey = (): Promise<never> => {
        abort();
        return never;
      };
      return clientFor({ apiKey }).chat().create(signal, request);
    },
  ],
  [
    'the next poll',
    ({ fake, signal, abort, clientFor }) => {
      fake.fallback('client.getAsyncResult', { body: { id: 'task-1', task_status: 'PROCESSING' } });
      return clientFor().waitForResult(signal, 'task-1', { interval: 3_600_000, onState: abort });
    },
  ],
  [
    'a request that callers share',
    (scene) => {
      silent(scene);
      return scene.clientFor().models().getTextModels(scene.signal);
    },
  ],
  [
    'the source of an upload',
    ({ signal, abort, clientFor }) => {
      const file = (async function* () {
        yield new Uint8Array(9);
        abort();
        await never;
      })();
      return clientFor().files().upload(signal, { file, filename: 'a.jsonl', purpose: 'batch' });
    },
  ],
  [
    'the bytes of a download',
    async ({ fake, signal, abort, clientFor }) => {
      fake.answer('files.content', faults.silentAfterHeaders(0));
      const reply = await clientFor().files().content(signal, 'file-1');
      abort();
      return reply.bytes();
    },
  ],
  [
    'a binding',
    (scene) => {
      silent(scene);
      return scene.clientFor().bindings('chat').GET('/models', { signal: scene.signal });
    },
  ],
  [
    'the results of mapCalls',
    async (scene) => {
      silent(scene);
      const client = scene.clientFor();
      for await (const _one of mapCalls([1, 2], (_, ctx) => client.chat().create(ctx, request), { ctx: scene.signal }));
    },
  ],
];

describe.each(transports)('over $transport', ({ overrides }) => {
  describe.each([null, undefined, 0])('an abort with the reason %j', (reason) => {
    test.each(waits)('ends the wait for %s with an AbortError that has it', async (_name, call) => {
      const { fake } = await openFake();
      const controller = new AbortController();
      const clients: Client[] = [];
      const error = await failure(
        call({
          fake,
          signal: controller.signal,
          abort: () => void setImmediate(() => controller.abort(reason)),
          clientFor: (more) => {
            clients.push(newClient(fake.configFor({ ...overrides, ...more })));
            return clients[0] as Client;
          },
        }),
      );
      expect(error).toMatchObject({ name: 'AbortError', kind: 'abort', operation: expect.any(String) });
      // Without a reason, the platform sets one.
      expect((error as Error).cause).toBe(reason === undefined ? controller.signal.reason : reason);
      for (const client of clients) await client.close();
    });
  });
});
