// `onToolEnd`: what a program learns of each tool call when its result is known.
import { expect, test } from 'vitest';
import { defineTool, newClient } from '../../src/overlay/index.ts';
import type { Turn } from '../../src/testing/index.ts';
import type { ToolEnd } from '../../src/types/index.ts';
import { looped, onBothWays } from '../support/both-ways.ts';
import { stoppedClock } from '../support/clock.ts';
import { failure } from '../support/failure.ts';
import { sharedFake } from '../support/fake.ts';

const fake = await sharedFake();
const broken = new TypeError('no such city');
const weather = defineTool({
  name: 'weather',
  description: 'The weather in a city',
  input: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  run: ({ city }) => {
    if (city === 'Atlantis') throw broken;
    return `Rain in ${city}`;
  },
});

const asks = (...cities: unknown[]): Turn => ({
  toolCalls: cities.map((city, index) => ({ id: `call_${index}`, name: 'weather', arguments: { city } })),
});

onBothWays((driver, clientFor) => {
  const run = (stream: boolean, options: object): Promise<unknown> => looped(driver, clientFor(fake), { stream, tools: [weather], options });

  test.each([false, true])('each call has its text, its error and its round; streamed: %s', async (stream) => {
    fake.answer(driver.operation, { turn: asks('Metz', 'Atlantis', 5) }, { turn: asks('Rome', 'Bern') }, { turn: { text: 'Rain.' } });
    const ends: ToolEnd[] = [];
    const onRound = ({ round }: { round: number }): unknown => (round === 2 ? [{ deny: 'too far' }, { replace: 'Sun' }] : undefined);
    await run(stream, { onRound, onToolEnd: (end: ToolEnd) => void ends.push(end) });
    expect(ends).toMatchObject([
      { round: 1, id: 'call_0', name: 'weather', input: { city: 'Metz' }, text: 'Rain in Metz', isError: false, error: undefined },
      { round: 1, id: 'call_1', text: 'error: no such city', isError: true, error: broken },
      { round: 1, id: 'call_2', isError: true, problem: expect.stringContaining('city'), error: undefined, durationMs: 0 },
      { round: 2, text: 'error: too far', isError: true, durationMs: 0 },
      { round: 2, text: 'Sun', isError: false, durationMs: 0 },
    ]);
    const sent = JSON.stringify(fake.requests.at(-1)?.body);
    for (const { text } of ends) expect(sent).toContain(JSON.stringify(text).slice(1, -1));
  });

  test.each([false, true])('an error it throws ends the run, and the next call waits for it; streamed: %s', async (stream) => {
    fake.answer(driver.operation, { turn: asks('Metz', 'Rome') }, { turn: asks('Metz', 'Rome') }, { turn: { text: 'Rain.' } });
    const own = new Error('the screen is gone');
    expect(await failure(run(stream, { onToolEnd: () => Promise.reject(own) }))).toBe(own);

    const steps: string[] = [];
    const onToolEnd = async ({ input }: ToolEnd): Promise<void> => {
      const { city } = input as { city: string };
      steps.push(`begin ${city}`);
      await new Promise((resolve) => setImmediate(resolve));
      steps.push(`end ${city}`);
    };
    await run(stream, { onToolEnd });
    expect(steps).toEqual(['begin Metz', 'end Metz', 'begin Rome', 'end Rome']);
  });
});

test('the duration is the time that the tool ran', async () => {
  const clock = stoppedClock();
  const slow = defineTool({
    name: 'weather',
    description: 'Slow',
    input: { type: 'object' },
    run: () => {
      clock.pass(1500);
      return 'Rain';
    },
  });
  fake.chat.reply(asks('Metz')).reply('Rain.');
  const ends: ToolEnd[] = [];
  const request = { model: 'glm-5.2', messages: [{ role: 'user', content: 'Hi' }] };
  await newClient(fake.configFor())
    .chat()
    .runWithTools(undefined, request, [slow], { onToolEnd: (end) => void ends.push(end) });
  expect(ends).toMatchObject([{ durationMs: 1500, text: 'Rain' }]);
});

test('must be a function', async () => {
  const request = { model: 'glm-5.2', messages: [{ role: 'user', content: 'Hi' }] };
  const error = await failure(
    newClient(fake.configFor())
      .chat()
      .runWithTools(undefined, request, [weather], { onToolEnd: 'log' } as never),
  );
  expect(error).toMatchObject({ kind: 'validation', path: 'options.onToolEnd', problem: 'must be a function' });
});
