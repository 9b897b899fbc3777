// `stopWhen` ends a run after the tools of a round: a success whose transcript has every result, and can be sent.
import { describe, expect, test } from 'vitest';
import { defineTool, toolRun } from '../../src/overlay/index.ts';
import { type SurfaceDriver, surfaces } from '../support/both-ways.ts';
import { failure } from '../support/failure.ts';
import { openFake } from '../support/fake.ts';

type Options = Readonly<Record<string, unknown>>;
type Ways = Readonly<Record<string, (driver: SurfaceDriver, client: never, options: Options) => Promise<object>>>;

const tools = [defineTool({ name: 'clock', description: 'The time', input: { type: 'object', properties: {} }, run: () => 'noon' })] as never;

/** The value that `toolRun` takes at the end. */
const ways: Ways = {
  run: (driver, client, options) => driver.service(client).runWithTools(undefined, driver.request('hi'), tools, options as never) as Promise<object>,
  stream: async (driver, client, options) => {
    const stream = driver.service(client).streamWithTools(undefined, driver.request('hi'), tools, options as never);
    for await (const _ of stream);
    return stream;
  },
};

describe.each(surfaces)('$surface', (driver) => {
  const call = {
    turn: {
      toolCalls: [
        { name: 'clock', arguments: {} },
        { name: 'clock', arguments: {} },
      ],
      usage: { input: 10, output: 2 },
    },
  };

  describe.each(Object.entries(ways))('%s', (_, perform) => {
    test('is asked once a round, after its tools, and true ends the run as a success', async () => {
      const { fake, client } = await openFake({}, { toolResults: 'required' });
      fake.answer(driver.operation, call, call, call);
      const seen: unknown[] = [];
      const order: string[] = [];
      const options = {
        onToolEnd: () => void order.push('tool'),
        stopWhen: ({ round, calls, usage, response }: { round: number; calls: { name: string }[]; usage: object; response: object }) => {
          order.push('asked');
          seen.push([round, calls.map(({ name }) => name), Object.values(usage).includes(2 * round), typeof response]);
          return Promise.resolve(round === 2);
        },
      };
      const ended = toolRun(await perform(driver, client as never, options));
      expect(ended).toMatchObject({ ended: 'stopped', modelCalls: 2 });
      expect(order).toEqual(['tool', 'tool', 'asked', 'tool', 'tool', 'asked']);
      expect(seen).toEqual([
        [1, ['clock', 'clock'], true, 'object'],
        [2, ['clock', 'clock', 'clock', 'clock'], true, 'object'],
      ]);
      expect(fake.requests).toHaveLength(2);
      // Every call of the transcript has its result: the strict fake takes it.
      const asked = driver.request('hi') as Record<string, unknown>;
      const field = 'messages' in asked ? 'messages' : 'input';
      fake.fallback(driver.operation, { turn: { text: 'ok' } });
      await driver.service(client).create(undefined, { ...asked, [field]: ended?.transcript } as never);
      expect(fake.refusals).toEqual([]);
    });

    test('a run that ends by itself is `answered`; one that fails has neither, and keeps its transcript', async () => {
      const { fake, client } = await openFake();
      fake.answer(driver.operation, call, { turn: { text: 'ok' } });
      expect(toolRun(await perform(driver, client as never, { stopWhen: () => false }))).toMatchObject({ ended: 'answered', modelCalls: 2 });

      fake.reset().answer(driver.operation, call);
      const wrong = new Error('no');
      const stopWhen = (): never => {
        throw wrong;
      };
      expect(await failure(perform(driver, client as never, { stopWhen }))).toBe(wrong);
      const failed = toolRun(wrong);
      expect(failed?.ended).toBeUndefined();
      expect(JSON.stringify(failed?.transcript).match(/noon/g)).toHaveLength(2);
    });

    test('what is no function is refused before a request', async () => {
      const { fake, client } = await openFake();
      for (const stopWhen of [true, 3, 'x', {}])
        expect(String(await failure(perform(driver, client as never, { stopWhen })))).toContain('options.stopWhen must be a function');
      expect(fake.requests).toEqual([]);
    });
  });

  test('an abort while it waits ends the run', async () => {
    const { fake, client } = await openFake();
    fake.answer(driver.operation, call);
    const controller = new AbortController();
    const stopWhen = (): Promise<boolean> => {
      controller.abort();
      return new Promise(() => undefined);
    };
    const run = driver.service(client).runWithTools({ signal: controller.signal }, driver.request('hi'), tools, { stopWhen } as never);
    const error = await failure(run);
    expect(error).toMatchObject({ kind: 'abort' });
    expect(toolRun(error as Error)?.modelCalls).toBe(1);
  });
});
