// The beginning of a stream: `opened` waits for the first part of an answer, and loses no part.
import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import {
  answerOf,
  collecting,
  defineTool,
  isApiError,
  isModelsvcError,
  newClient,
  opened,
  responseInfo,
  textDeltas,
  toolRun,
} from '../../src/overlay/index.ts';
import { faults } from '../../src/testing/index.ts';
import type { OpenedOptions } from '../../src/types/index.ts';
import { collectedOf, onBothWays, surfaces, taken, textIn } from '../support/both-ways.ts';
import { stoppedClock, turns, until } from '../support/clock.ts';
import { failure } from '../support/failure.ts';
import { sharedFake } from '../support/fake.ts';
import { strictRejections } from '../support/strict-rejections.ts';

const fake = await sharedFake();
const turn = { reasoning: 'so then', text: ['one\n', 'two ', '三'] };
const reply = { turn };
const tools = [defineTool({ name: 'f', description: 'F.', input: {}, run: () => 'done' })];
const call = { toolCalls: [{ name: 'f', arguments: { a: 1 } }] };

onBothWays((driver, clientFor) => {
  test('it is the same stream, with every item, for each way to read it', async () => {
    fake.fallback(driver.operation, reply);
    const { items } = await taken(driver.stream(clientFor(fake)));
    const open = async () => {
      const stream = driver.stream(clientFor(fake));
      const same = await opened(stream);
      expect([same === stream, same.late]).toEqual([true, false]);
      return same;
    };
    expect((await taken(await open())).items.length).toBe(items.length);
    const stepwise: object[] = [];
    const stream = await open();
    for (let step = await stream.next(); !step.done; step = await stream.next()) stepwise.push(step.value);
    expect(textIn(stepwise)).toBe(textIn(items));
    expect(answerOf((await collectedOf(await open())) as never)).toMatchObject({ text: 'one\ntwo 三', thought: 'so then' });
    const twice = await opened(await open());
    let text = '';
    for await (const piece of textDeltas(twice as never)) text += piece;
    expect(text).toBe('one\ntwo 三');
    expect(responseInfo(twice)?.status).toBe(200);
  });

  test.each([
    ['text', { turn: { text: 'a' } }],
    ['a thought', { turn: { reasoning: 'a', text: '' } }],
    ['a call', { turn: call }],
  ])('it waits for %s, and no longer', async (_, answer) => {
    fake.answer(driver.operation, answer, answer);
    const { items } = await taken(driver.stream(clientFor(fake)));
    let given = 0;
    const counted = (async function* () {
      for await (const item of driver.stream(clientFor(fake))) {
        given++;
        yield item;
      }
    })();
    expect((await opened(counted)).late).toBe(false);
    expect(given).toBeLessThan(items.length);
    expect((await taken(counted)).items).toHaveLength(items.length);
  });

  test('an event before the answer is not a part of it: a failure after it is thrown', async () => {
    // The first frame of messages and Responses has no part of the answer, and neither has a chunk with a role.
    const role = {
      frames: [{ id: '1', choices: [{ index: 0, delta: { role: 'assistant', content: '' } }] }, { error: { code: '1305', message: 'busy' } }],
    };
    fake.answer(driver.operation, driver.surface === 'chat' ? role : { ...faults.inBandError('1305', 'busy', 1), reply });
    const error = await failure(opened(driver.stream(clientFor(fake))));
    expect(isApiError(error) && error.code).toBe('1305');
  });

  test('after the time it resolves as late, and the item that it asked for is not lost', async () => {
    const rejections = strictRejections();
    const clock = stoppedClock();
    let go = (): void => undefined;
    const gate = new Promise<void>((resolve) => {
      go = resolve;
    });
    fake.answer(driver.operation, async () => {
      await gate;
      return reply;
    });
    const opening = opened(driver.stream(clientFor(fake)), { within: 5000 });
    await until(() => fake.requests.length === 1);
    clock.pass(4999);
    await turns();
    clock.pass(1);
    const stream = await opening;
    expect(stream.late).toBe(true);
    go();
    expect(textIn((await taken(stream)).items)).toBe('one\ntwo 三');
    expect(await rejections.settled()).toEqual([]);
  });
});

test.each(surfaces)('$surface: collecting and tool loops keep what else they have', async (driver) => {
  fake.answer(driver.operation, reply, { turn: call }, reply);
  const client = newClient(fake.configFor());
  const whole = await opened(collecting(driver.stream(client) as never));
  expect(await whole.response()).toMatchObject({});
  expect((await taken(whole)).items.length).toBeGreaterThan(2);
  const rounds = await opened(driver.service(client).streamWithTools(undefined, driver.request('hi'), tools as never));
  expect(() => collecting(rounds as never)).toThrow(/several rounds/);
  await taken(rounds);
  expect(toolRun(rounds as never)?.modelCalls).toBe(2);
});

describe('streams of the caller', () => {
  const texts = async function* (...given: string[]) {
    yield* given;
  };

  test.each([
    ['no item', [], []],
    ['blank texts only', ['', ''], ['', '']],
    ['one text', ['', 'a', 'b'], ['', 'a', 'b']],
  ])('a generator with %s is given as it was', async (_, given, expected) => {
    const stream = await opened(texts(...given));
    expect((await taken(stream as never)).items).toEqual(expected);
  });

  test('a Readable and a ReadableStream keep their items, and items of another form are parts', async () => {
    for (const stream of [Readable.from([{ a: 1 }, { a: 2 }]), new Response('ab').body])
      expect((await taken(await opened(stream as AsyncIterable<object>))).items.length).toBeGreaterThan(0);
  });

  test('a stream that never gives an item is late, without an end only with 0', async () => {
    const clock = stoppedClock();
    const never = (): AsyncIterable<string> => ({ [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => undefined) }) });
    const opening = opened(never());
    let endless: unknown;
    void opened(never(), { within: 0 }).then((stream) => (endless = stream));
    await turns();
    clock.pass(20_000);
    expect((await opening).late).toBe(true);
    clock.pass(2 ** 30);
    await turns();
    expect(endless).toBeUndefined();
  });

  test('a failure of a late stream that no one reads is not an unhandled rejection', async () => {
    const rejections = strictRejections();
    const clock = stoppedClock();
    let fail = (_error: Error): void => undefined;
    const broken = { [Symbol.asyncIterator]: () => ({ next: () => new Promise<IteratorResult<string>>((_, reject) => (fail = reject)) }) };
    const opening = opened(broken, { within: 1 });
    await turns();
    clock.pass(1);
    const stream = await opening;
    fail(new Error('late'));
    await turns();
    expect(await rejections.settled()).toEqual([]);
    expect((await taken(stream as never)).error).toMatchObject({ message: 'late' });
  });

  test.each<[path: string, stream: unknown, options: unknown]>([
    ['stream', 'text', {}],
    ['stream', undefined, {}],
    ['stream', Object.freeze({ [Symbol.asyncIterator]: () => ({ next: () => undefined }) }), {}],
    ['options.within', texts(), { within: -1 }],
    ['options.within', texts(), { within: '5' }],
    ['options.whithin', texts(), { whithin: 5 }],
    ['options', texts(), 5],
  ])('%s is refused', async (path, stream, options) => {
    const error = await failure(opened(stream as never, options as OpenedOptions));
    expect(isModelsvcError(error, 'validation') && [error.operation, error.path]).toEqual(['opened', path]);
  });
});
