import fc from 'fast-check';
import { expect } from 'vitest';
import { isModelsvcError, mapCalls, newClient, type Settled } from '../../src/overlay/index.ts';
import { faults } from '../../src/testing/index.ts';
import { built, childOutcome } from '../support/child.ts';
import { settled, turns, until } from '../support/clock.ts';
import { failure } from '../support/failure.ts';
import { openFake } from '../support/fake.ts';
import { test } from '../support/fixture.ts';
import { held } from '../support/held.ts';

const model = 'glm-5.2';

/** Numbers that count how many were taken. */
class Source implements AsyncIterable<number> {
  taken = 0;
  isClosed = false;
  readonly #count: number;

  constructor(count: number) {
    this.#count = count;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<number> {
    try {
      for (let index = 0; index < this.#count; index++) {
        this.taken++;
        yield index;
      }
    } finally {
      this.isClosed = true;
    }
  }
}

async function all<R, T>(results: AsyncIterable<Settled<R, T>>): Promise<Settled<R, T>[]> {
  const list: Settled<R, T>[] = [];
  for await (const one of results) list.push(one);
  return list;
}

test('items are taken as places free up: the places and four more', async () => {
  const { fake, client } = await openFake({ concurrency: 3 });
  const answers = held(fake);
  const counted = new Source(40);
  const results = all(mapCalls(counted, (item, ctx) => client.chat().createSimple(ctx, model, `${item}`)));
  await until(() => answers.count === 3);
  expect(await settled(() => counted.taken)).toBe(3 + 4);
  answers.release(2);
  await until(() => answers.count === 3);
  expect(await settled(() => counted.taken)).toBe(3 + 4 + 2);
  answers.open();
  const list = await results;
  expect(list.map(({ index }) => index).sort((one, other) => one - other)).toEqual(Array.from({ length: 40 }, (_, index) => index));
  expect(fake.mostAtOnce).toBe(3);
});

test('results come as they settle, or in the order of the items', async () => {
  for (const ordered of [false, true]) {
    const { fake, client } = await openFake({ concurrency: 8 });
    const answers = new Map<string, () => void>();
    fake.fallback('chat.create', (request) => {
      const text = (request.body as { messages: { content: string }[] }).messages[0]?.content ?? '';
      return new Promise((resolve) => answers.set(text, () => resolve(text === 'b' ? faults.error(400, '1210') : { turn: { text } })));
    });
    const results = all(mapCalls(['a', 'b', 'c'], (item, ctx) => client.chat().createSimple(ctx, model, item), { ordered }));
    await until(() => answers.size === 3);
    for (const item of ['c', 'b', 'a']) {
      answers.get(item)?.();
      await until(() => fake.exchanges === 'abc'.indexOf(item));
      await turns();
    }
    const list = await results;
    expect(list.map(({ item }) => item)).toEqual(ordered ? ['a', 'b', 'c'] : ['c', 'b', 'a']);
    expect(list.map(({ status }) => status).sort()).toEqual(['fulfilled', 'fulfilled', 'rejected']);
    expect(list.find(({ item }) => item === 'b')).toMatchObject({ index: 1, reason: { code: '1210' } });
  }
});

test('without a gate, four calls run at once, or the number in `ahead`', async ({ fake, client }) => {
  for (const ahead of [undefined, 1, 9]) {
    const answers = held(fake);
    const counted = new Source(20);
    const results = all(mapCalls(counted, (item, ctx) => client.chat().createSimple(ctx, model, `${item}`), ahead ? { ahead } : {}));
    await until(() => answers.count > 0);
    expect(await settled(() => answers.count)).toBe(ahead ?? 4);
    expect(counted.taken).toBe(ahead ?? 4);
    answers.open();
    expect(await results).toHaveLength(20);
  }
});

test('an abort ends the loop and the calls in flight, and takes no more items', async () => {
  const { fake, client } = await openFake({ concurrency: 2 });
  const answers = held(fake);
  const counted = new Source(50);
  const controller = new AbortController();
  const results = all(mapCalls(counted, (item, ctx) => client.chat().createSimple(ctx, model, `${item}`), { ctx: controller.signal }));
  const error = failure(results);
  await until(() => answers.count === 2);
  controller.abort();
  expect(isModelsvcError(await error, 'abort')).toBe(true);
  expect(counted).toMatchObject({ taken: 6, isClosed: true });
  expect(client.concurrency(model)).toMatchObject({ inFlight: 0, waiting: 0 });
  await fake.idle();
});

test('leaving the loop aborts the calls in flight and closes the source', async () => {
  const { fake, client } = await openFake({ concurrency: 2 });
  fake.answer('chat.create', { turn: { text: 'first' } });
  const answers = held(fake);
  const counted = new Source(50);
  for await (const { index } of mapCalls(counted, (item, ctx) => client.chat().createSimple(ctx, model, `${item}`))) {
    expect(index).toBe(0);
    await until(() => answers.count > 0);
    break;
  }
  expect(counted.isClosed).toBe(true);
  await until(() => client.concurrency(model)?.inFlight === 0);
  expect(client.concurrency(model)).toMatchObject({ waiting: 0 });
  await fake.idle();
});

test('leaving the loop does not wait for a source that does not answer', async () => {
  const silent: AsyncIterable<number> = {
    [Symbol.asyncIterator]: () => {
      let count = 0;
      return {
        next: () => (count++ === 0 ? Promise.resolve({ value: 1, done: false as const }) : new Promise(() => {})),
        return: () => new Promise(() => {}),
      };
    },
  };
  for await (const { value } of mapCalls(silent, async (item) => item) as AsyncIterable<{ value: number }>) {
    expect(value).toBe(1);
    break;
  }
});

test('an error of the source is thrown after the results of its items', async () => {
  const items = (function* () {
    yield 1;
    yield 2;
    throw new Error('no more');
  })();
  const seen: unknown[] = [];
  const error = await failure(
    (async () => {
      for await (const one of mapCalls(items, async (item) => item * 2)) seen.push(one.status === 'fulfilled' && one.value);
    })(),
  );
  expect((error as Error).message).toBe('no more');
  expect(seen).toEqual([2, 4]);
});

test.each([undefined, null, 7, true, 'secret text'])('an iterator whose next() gives %j ends the loop with a TypeError', async (result) => {
  for (const symbol of [Symbol.iterator, Symbol.asyncIterator]) {
    let count = 0;
    const items: AsyncIterable<number> = {
      [symbol]: () => ({ next: () => (count++ < 2 ? { value: count, done: false } : count > 9 ? { done: true } : result) }),
    } as never;
    const seen: unknown[] = [];
    const error = await failure(
      (async () => {
        for await (const one of mapCalls(items, async (item) => item)) seen.push(one.item);
      })(),
    );
    expect(error).toBeInstanceOf(TypeError);
    expect((error as Error).message).toMatch(/^mapCalls: items: Iterator result .* is not an object$/);
    expect((error as Error).message).not.toContain('secret');
    expect(seen).toEqual([1, 2]);
  }
});

test('a call that throws at once is a rejected result', async () => {
  const call = (): Promise<number> => {
    throw new Error('at once');
  };
  expect(await all(mapCalls([1], call))).toEqual([{ status: 'rejected', index: 0, item: 1, reason: new Error('at once') }]);
});

test('a caller that is slow to take results holds at most the places and four more', async () => {
  const { fake, client } = await openFake({ concurrency: 2 });
  fake.fallback('chat.create', { turn: { text: 'yes' } });
  const counted = new Source(60);
  let yielded = 0;
  for await (const _one of mapCalls(counted, (item, ctx) => client.chat().createSimple(ctx, model, `${item}`), { ordered: true })) {
    await fake.idle();
    await turns();
    yielded++;
    expect(counted.taken - yielded).toBeLessThanOrEqual(2 + 4);
  }
  expect(yielded).toBe(60);
});

test.each([false, true])('a result that the caller has let go of is collected, ordered: %s', async (ordered) => {
  const { stdout } = await childOutcome(
    `
    import { mapCalls } from '${built('index')}';
    const results = [];
    const call = async (item) => {
      const result = { item };
      results.push(new WeakRef(result));
      return result;
    };
    const items = Array.from({ length: 400 }, (_, index) => index);
    let most = 0;
    for await (const { index } of mapCalls(items, call, { ordered: ${ordered}, ahead: 8 })) {
      if (index % 50 !== 49) continue;
      // A WeakRef keeps its target until the end of the turn.
      for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setTimeout(resolve));
      gc();
      most = Math.max(most, results.filter((result) => result.deref()).length);
    }
    console.log(most);`,
    ['--expose-gc'],
  );
  // The window, and the one in the hand of the caller.
  expect(Number(stdout)).toBeGreaterThan(0);
  expect(Number(stdout)).toBeLessThanOrEqual(8 + 1);
});

test('with order, a slow first call lets the others run ahead by a window only, and all results come in order', async () => {
  const { fake, client } = await openFake({ concurrency: 2 });
  let answer: ((turn: { readonly turn: { readonly text: string } }) => void) | undefined;
  fake.answer('chat.create', () => new Promise((resolve) => (answer = resolve)));
  fake.fallback('chat.create', { turn: { text: 'yes' } });
  const counted = new Source(40);
  const seen: number[] = [];
  const work = (async () => {
    for await (const { index } of mapCalls(counted, (item, ctx) => client.chat().createSimple(ctx, model, `${item}`), { ordered: true, ahead: 3 }))
      seen.push(index);
  })();
  await until(() => answer !== undefined);
  expect(await settled(() => counted.taken)).toBe(2 + 3);
  expect(seen).toEqual([]);
  answer?.({ turn: { text: 'late' } });
  await work;
  expect(seen).toEqual(Array.from({ length: 40 }, (_, index) => index));
});

test('whatever order calls end in, each item has one result, in order if asked', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.integer({ min: 0, max: 30 }),
      fc.boolean(),
      fc.integer({ min: 1, max: 5 }),
      async (scheduler, count, ordered, ahead) => {
        const items = Array.from({ length: count }, (_, index) => index);
        const work = all(
          mapCalls(
            items,
            async (item) => {
              await scheduler.schedule(Promise.resolve());
              if (item % 3 === 0) throw item;
              return item;
            },
            { ordered, ahead },
          ),
        );
        const list = await scheduler.waitFor(work);
        const order = list.map(({ index }) => index);
        expect(ordered ? order : order.sort((one, other) => one - other)).toEqual(items);
        for (const one of list) expect(one.status === 'fulfilled' ? one.value : one.reason).toBe(one.item);
      },
    ),
  );
});

test('the same client can be used inside: nested loops at a limit of 1', async ({ fake }) => {
  fake.fallback('chat.create', { turn: { text: 'yes' } });
  const client = newClient(fake.configFor({ concurrency: 1 }));
  const inner = (ctx: Parameters<typeof mapCalls>[2]): AsyncIterable<Settled<unknown>> =>
    mapCalls([1, 2, 3], (_, nested) => client.chat().createSimple(nested, model, 'hi'), ctx);
  const list = await all(mapCalls([1, 2, 3], async (_, ctx) => all(inner({ ctx }))));
  expect(list.flatMap((one) => (one.status === 'fulfilled' ? one.value : [])).filter(({ status }) => status === 'fulfilled')).toHaveLength(9);
});
