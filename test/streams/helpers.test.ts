import { expect, test } from 'vitest';
import { isApiError, isStreamError, toReadableStream } from '../../src/overlay/index.ts';
import { faults } from '../../src/testing/index.ts';
import { collectedOf, onBothWays, taken, textIn } from '../support/both-ways.ts';
import { sharedFake } from '../support/fake.ts';
import { strictRejections } from '../support/strict-rejections.ts';

const fake = await sharedFake();

const reply = { turn: { reasoning: 'so then', text: ['one ', 'two ', 'three'] } };

onBothWays((driver, clientFor) => {
  test('a failure comes out of toReadableStream after the items before it', async () => {
    fake.answer(driver.operation, { ...faults.inBandError('1234', 'broken', 3), reply });
    const { items, error } = await taken(toReadableStream(driver.stream(clientFor(fake))));
    expect(items.length).toBeGreaterThan(0);
    expect(isApiError(error) && error.code).toBe('1234');
  });

  test('tee of it: two readers at their own speed, and one that leaves does not end the other', async () => {
    const rejections = strictRejections();
    fake.answer(driver.operation, reply, reply);
    const [slow, fast] = toReadableStream(driver.stream(clientFor(fake))).tee();
    const all = await taken(fast);
    expect(textIn(all.items)).toBe('one two three');
    expect(textIn((await taken(slow)).items)).toBe('one two three');

    const [left, kept] = toReadableStream(driver.stream(clientFor(fake))).tee();
    // Not waited for: the platform settles the cancelling of one branch with the other's.
    void left.cancel();
    expect(textIn((await taken(kept)).items)).toBe('one two three');
    expect(await rejections.settled()).toEqual([]);
  });

  test('a stream that breaks, or cannot be put together, fails the collecting with the same error', async () => {
    fake.answer(driver.operation, { ...faults.truncatedStream(), reply });
    const collect = (): Promise<object> => collectedOf(driver, driver.stream(clientFor(fake)));
    await expect(collect()).rejects.toMatchObject({ kind: 'stream', problem: 'truncated' });
    const nameless = {
      chat: 'data: {"id":"1","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","function":{"arguments":"{}"}}]}}]}\n\n',
      messages: 'event: content_block_stop\ndata: {"type":"content_block_stop","index":0}\n\n',
      responses: 'data: {"type":"response.output_text.delta","output_index":3,"content_index":0,"delta":"a"}\n\n',
    };
    fake.answer(driver.operation, { frames: [nameless[driver.surface], driver.end] });
    await expect(collect()).rejects.toSatisfy(isStreamError);
  });
});
