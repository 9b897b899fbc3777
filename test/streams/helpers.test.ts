import { expect, test } from 'vitest';
import { isApiError, toReadableStream } from '../../src/overlay/index.ts';
import { faults } from '../../src/testing/index.ts';
import { onBothWays, taken, textIn } from '../support/both-ways.ts';
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
    // Not waited for: the platform settles the canceling of one branch with the other's.
    void left.cancel();
    expect(textIn((await taken(kept)).items)).toBe('one two three');
    expect(await rejections.settled()).toEqual([]);
  });
});
