// `stopWhen` ends a run after the tools of a round: a success whose transcript has every result, and can be sent.
import { describe, expect, test } from 'vitest';
import { type Client, defineTool, toolRun } from '../../src/overlay/index.ts';
import { looped, surfaces } from '../support/both-ways.ts';
import { failure } from '../support/failure.ts';
import { openFake } from '../support/fake.ts';

const tools = [defineTool({ name: 'clock', description: 'The time', input: { type: 'object', properties: {} }, run: () => 'noon' })] as never;

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

  describe.each([false, true])('streamed: %s', (stream) => {
    const perform = (client: Client, options: object): Promise<object> => looped(driver, client, { stream, tools, options });

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
      const ended = toolRun(await perform(client, options));
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
      expect(toolRun(await perform(client, { stopWhen: () => false }))).toMatchObject({ ended: 'answered', modelCalls: 2 });

      fake.reset().answer(driver.operation, call);
      const wrong = new Error('no');
      const stopWhen = (): never => {
        throw wrong;
      };
      expect(await failure(perform(client, { stopWhen }))).toBe(wrong);
      const failed = toolRun(wrong);
      expect(failed?.ended).toBeUndefined();
      expect(JSON.stringify(failed?.transcript).match(/noon/g)).toHaveLength(2);
    });

    test('what is not a function is refused before a request', async () => {
      const { fake, client } = await openFake();
      for (const stopWhen of [true, 3, 'x', {}])
        expect(String(await failure(perform(client, { stopWhen })))).toContain('options.stopWhen must be a function');
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
