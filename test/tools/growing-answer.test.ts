// An object while it grows: from a stream of any surface, one object that grows, and at the end what `parse` gives or throws.
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { collecting, defineTool, opened, outputFormat } from '../../src/overlay/index.ts';
import { faults, type Turn } from '../../src/testing/index.ts';
import { collectedOf, onBothWays } from '../support/both-ways.ts';
import { until } from '../support/clock.ts';
import { failure } from '../support/failure.ts';
import { sharedFake } from '../support/fake.ts';
import { strictRejections } from '../support/strict-rejections.ts';

const fake = await sharedFake();

const city = z.object({ name: z.string(), people: z.number().transform((count) => count / 1000), open: z.boolean().default(true) });
const format = outputFormat(city);
const anything = outputFormat({});
const text = ['```json\n{"na', 'me":"Me', 'tz","peo', 'ple":12', '0000', '}\n```'];

type Stream = Parameters<typeof format.partial>[0];

/** The steps of a growing answer as copies and as they are, and the error that ends it. */
async function grown(answer: AsyncIterable<unknown>): Promise<{ copies: unknown[]; steps: unknown[]; error: unknown }> {
  const [copies, steps]: [unknown[], unknown[]] = [[], []];
  try {
    for await (const step of answer) {
      copies.push(structuredClone(step));
      steps.push(step);
    }
    return { copies, steps, error: undefined };
  } catch (error) {
    return { copies, steps, error };
  }
}

const facts = (error: unknown): unknown => ({ ...(error as object), message: (error as Error).message, text: (error as { text?: unknown }).text });

onBothWays((driver, clientFor, transport) => {
  const streamOf = (): Stream => driver.stream(clientFor(fake, { maxRetries: 0 })) as never;

  test('each step is the same object, grown; the last is the validated value', async () => {
    fake.answer(driver.operation, { turn: { reasoning: '{"name":"no"}', text } });
    const answer = format.partial(streamOf());
    const { copies, steps, error } = await grown(answer);
    expect(error).toBeUndefined();
    expect(copies).toEqual([{}, { name: 'Me' }, { name: 'Metz' }, { name: 'Metz', people: 120_000 }, { name: 'Metz', people: 120, open: true }]);
    expect(new Set(steps.slice(0, -1)).size).toBe(1);
    expect(steps.at(-1)).toBe(await answer.value());
  });

  test('the value alone, before, during and after the loop', async () => {
    for (const steps of [0, 1, 9]) {
      fake.answer(driver.operation, { turn: { text } });
      const answer = format.partial(streamOf());
      for (let step = 0; step < steps; step++) await answer.next();
      expect(await answer.value()).toEqual({ name: 'Metz', people: 120, open: true });
      expect((await grown(answer)).steps).toHaveLength(Math.max(0, 5 - steps));
    }
  });

  const judged: readonly (readonly [name: string, turn: Turn, shown: readonly unknown[]])[] = [
    ['a number where a text belongs', { text: ['{"name":1,', '"people":2}'] }, [{ name: 1 }, { name: 1, people: 2 }]],
    ['no JSON', { text: 'No answer.' }, []],
    ['a value that breaks', { text: ['{"name":', '"a"', ' no'] }, [{}, { name: 'a' }]],
    ['two values', { text: ['{"name":"a"} ', '{"name":"b"}'] }, [{ name: 'a' }]],
    ['a cut value', { text: ['{"name":', '"Me'], finish: 'length' }, [{}, { name: 'Me' }]],
    ['a call only', { toolCalls: [{ name: 'f', arguments: { name: 'a' } }] }, []],
    ['no text', { text: '' }, []],
  ];
  test.each(judged)('%s: the error of parse, after the shown values', async (_, turn, shown) => {
    const finish = turn.finish === undefined || driver.surface === 'chat' ? turn.finish : 'max_tokens';
    fake.answer(driver.operation, { turn: { ...turn, finish } }, { turn: { ...turn, finish } });
    const expected = await failure(format.parse((await collectedOf(streamOf() as never)) as never));
    const answer = format.partial(streamOf());
    const { copies, error } = await grown(answer);
    expect(copies).toEqual(shown);
    expect(facts(error)).toEqual(facts(expected));
    expect(await failure(answer.value())).toBe(error);
  });

  test.each([
    ['an example that is not the answer', ['<arg_key>name</arg_key><arg_value>[1]', '</arg_value>'], [[1], { name: '[1]' }]],
    ['a bare word', ['tr', 'ue'], [true]],
  ])('%s: the value of the whole text is the last', async (_, pieces, steps) => {
    fake.answer(driver.operation, { turn: { text: pieces } });
    expect((await grown(anything.partial(streamOf()))).copies).toEqual(steps);
  });

  test.each([
    ['a refused key', faults.error(401, '1000'), 0],
    ['a stream without an event', faults.emptyStream(), 0],
    ['a connection that breaks', faults.resetBeforeHeaders(), 0],
    ['a stream that is cut off', { ...faults.truncatedStream(), reply: { turn: { text } } }, 1],
  ])('%s: the error of the stream itself', async (_, fault, least) => {
    fake.answer(driver.operation, fault, fault);
    const expected = await failure(collectedOf(streamOf() as never));
    const answer = format.partial(streamOf());
    const { steps, error } = await grown(answer);
    for (const name of ['name', 'kind', 'operation', 'problem', 'status', 'code'])
      expect((error as never)[name], name).toEqual((expected as never)[name]);
    expect(steps.length).toBeGreaterThanOrEqual(least);
    expect(await failure(answer.value())).toBe(error);
  });

  test('leaving it closes the socket, and the value then rejects because it was left', async () => {
    fake.answer(driver.operation, { ...faults.keepAliveOnly(5, driver.surface === 'responses' ? 14 : 10), reply: { turn: { text } } });
    const answer = format.partial(streamOf());
    for await (const _ of answer) break;
    await fake.idle();
    expect(await failure(answer.value())).toMatchObject({ kind: 'stream', problem: 'truncated' });
  });

  test('leaving it while a step waits ends it at once', async () => {
    fake.answer(driver.operation, { ...faults.silentAfterHeaders(driver.surface === 'chat' ? 1 : 2), reply: { turn: { text } } });
    const answer = format.partial(streamOf());
    const step = answer.next();
    await until(() => fake.requests.length > 0);
    await answer.return();
    expect((await step).done).toBe(true);
    await fake.idle();
    expect(fake.requests.at(-1)?.outcome).toBe('left');
  });

  test('a second reader gets an error, of the stream and of the growing answer', async () => {
    fake.answer(driver.operation, { turn: { text } });
    const stream = streamOf();
    const answer = format.partial(stream);
    expect(() => format.partial(stream)).toThrow(expect.objectContaining({ kind: 'stream', problem: 'used' }));
    await grown(answer);
    expect((await grown(answer)).error).toMatchObject({ kind: 'stream', problem: 'used' });
  });

  test('an error that no one waits for is not an unhandled rejection', async () => {
    const rejections = strictRejections();
    for (const reply of [{ turn: { text: 'no' } }, faults.error(401, '1000')]) {
      fake.answer(driver.operation, reply);
      const answer = format.partial(streamOf());
      void answer.value();
      const { error } = await grown(answer);
      expect(error).toBeInstanceOf(Error);
    }
    expect(await rejections.settled()).toEqual([]);
  });

  if (transport === 'fetch') return;

  test('of a stream that was opened or is collected, with its response', async () => {
    fake.answer(driver.operation, { turn: { text } });
    const stream = collecting((await opened(streamOf())) as never);
    expect((await grown(format.partial(stream as never))).copies).toHaveLength(5);
    expect(await format.parse((await stream.response()) as never)).toMatchObject({ name: 'Metz' });
  });

  test('the stream of a tool loop is refused by name', () => {
    const tools = [defineTool({ name: 'f', input: {}, run: () => '' })];
    const rounds = driver.service(clientFor(fake)).streamWithTools(undefined, driver.request('hi'), tools as never);
    expect(() => format.partial(rounds as never)).toThrow('outputFormat.partial: the stream has the responses of several rounds');
  });
});

/** The chunks of a chat whose text has these pieces. */
async function* chunksOf(pieces: Iterable<string>): AsyncGenerator<never, void, undefined> {
  for (const content of pieces) yield { id: 'x', choices: [{ index: 0, delta: { content } }] } as never;
  yield { id: 'x', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] } as never;
}

describe('streams of the caller', () => {
  test.each([
    ['a Promise', Promise.resolve({})],
    ['a text', 7],
    ['no stream', undefined],
  ])('%s is refused before it is read', (_, given) => {
    expect(() => format.partial(given as never)).toThrow('outputFormat.partial: stream must be a stream or another async iterable');
  });

  test('no item, and an error at once', async () => {
    const none = (async function* () {})();
    expect((await grown(format.partial(none))).error).toMatchObject({
      problem: 'truncated',
      message: expect.stringContaining('outputFormat.partial'),
    });
    const broken = new Error('own');
    const failing = (async function* () {
      yield await Promise.reject(broken);
    })();
    expect((await grown(format.partial(failing))).error).toBe(broken);
  });

  test('an own property of any name, and no prototype of it', async () => {
    const { copies, error, steps } = await grown(anything.partial(chunksOf(['{"__proto__":{"a', '":1},"b":"', 'c"}'])));
    expect([error, JSON.stringify(copies.at(-1))]).toEqual([undefined, '{"__proto__":{"a":1},"b":"c"}']);
    expect(Object.getPrototypeOf(steps[0])).toBe(Object.prototype);
  });

  test('100,000 fields', async () => {
    const text = JSON.stringify(Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`field ${at}`, at])));
    const answer = anything.partial(chunksOf(text.match(/.{1,99}/g) as string[]));
    let step: unknown;
    for await (step of answer);
    expect(JSON.stringify(await answer.value())).toBe(text);
    expect(JSON.stringify(step)).toBe(text);
  });

  test('a depth of 10,000', async () => {
    const answer = anything.partial(chunksOf([...Array(5000).fill('[{"a":'), '"x"', ...Array(5000).fill('}]')]));
    let step: unknown;
    for await (step of answer);
    for (let value of [step, await answer.value()]) {
      for (let level = 0; level < 5000; level++) value = (value as { a: unknown }[])[0]?.a;
      expect(value).toBe('x');
    }
  });
});

test('an error of the value does not quote the answer, and has its text', async () => {
  const error = await failure(format.partial(chunksOf(['{"name":"secret"}'])).value());
  expect(String(error)).not.toContain('secret');
  expect(error).toMatchObject({ kind: 'output', problem: 'invalid', text: '{"name":"secret"}' });
});
