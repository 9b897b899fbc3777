import { expect, test } from 'vitest';
import { isApiError, textDeltas, toReadableStream } from '../../src/overlay/index.ts';
import { faults } from '../../src/testing/index.ts';
import { collectedOf, onBothWays, taken, textIn } from '../support/both-ways.ts';
import { turns } from '../support/clock.ts';
import { sharedFake } from '../support/fake.ts';
import { ofKind } from '../support/of-kind.ts';
import { strictRejections } from '../support/strict-rejections.ts';

const fake = await sharedFake();

const reply = { turn: { reasoning: 'so then', text: ['one ', 'two ', 'three'] } };

onBothWays((driver, clientFor) => {
  test('textDeltas gives the text alone, as it comes', async () => {
    fake.answer(driver.operation, reply);
    const pieces: string[] = [];
    for await (const piece of textDeltas(driver.stream(clientFor(fake)) as Parameters<typeof textDeltas>[0])) pieces.push(piece);
    expect(pieces).toEqual(['one ', 'two ', 'three']);
  });

  test('leaving textDeltas closes the socket', async () => {
    fake.answer(driver.operation, { ...faults.keepAliveOnly(5, driver.surface === 'responses' ? 14 : 10), reply });
    for await (const _ of textDeltas(driver.stream(clientFor(fake)) as Parameters<typeof textDeltas>[0])) break;
    await fake.idle();
  });

  test('toReadableStream has the same items', async () => {
    fake.answer(driver.operation, reply, reply);
    const { items } = await taken(driver.stream(clientFor(fake)));
    const { items: streamed } = await taken(toReadableStream(driver.stream(clientFor(fake))));
    expect(streamed).toHaveLength(items.length);
    expect(textIn(streamed)).toBe('one two three');
  });

  test('toReadableStream asks for nothing before it is read, and cancelling it closes the socket', async () => {
    fake.answer(driver.operation, { ...faults.silentAfterHeaders(2), reply });
    const reader = toReadableStream(driver.stream(clientFor(fake))).getReader();
    await turns();
    expect(fake.requests).toHaveLength(0);
    await reader.read();
    await reader.cancel();
    await fake.idle();
    expect(fake.requests[0]?.outcome).toBe('left');
  });

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

  test('a collected stream is what create gives', async () => {
    fake.answer(driver.operation, reply, reply);
    const collected = await collectedOf(driver.stream(clientFor(fake)));
    // Items of a response have ids that contain that of the request.
    const plain = (value: object): object => JSON.parse(JSON.stringify(value).replaceAll(/"id":"(rs|msg)_\w+"/g, '"id":""'));
    const {
      id: _a,
      created: _b,
      created_at: _j,
      request_id: _c,
      error: _f,
      incomplete_details: _g,
      ...created
    } = plain(await driver.create(clientFor(fake))) as Record<string, unknown>;
    const { id: _d, created: _e, created_at: _k, error: _h, incomplete_details: _i, ...streamed } = plain(collected) as Record<string, unknown>;
    expect(streamed).toEqual(created);
  });

  test('a stream that breaks, or cannot be put together, fails the collecting with the same error', async () => {
    fake.answer(driver.operation, { ...faults.truncatedStream(), reply });
    const collect = (): Promise<object> => collectedOf(driver.stream(clientFor(fake)));
    await expect(collect()).rejects.toMatchObject({ kind: 'stream', problem: 'truncated' });
    const nameless = {
      chat: 'data: {"id":"1","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","function":{"arguments":"{}"}}]}}]}\n\n',
      messages: 'event: content_block_stop\ndata: {"type":"content_block_stop","index":0}\n\n',
      responses: 'data: {"type":"response.output_text.delta","output_index":3,"content_index":0,"delta":"a"}\n\n',
    };
    fake.answer(driver.operation, { frames: [nameless[driver.surface], driver.end] });
    await expect(collect()).rejects.toSatisfy(ofKind('stream'));
  });
});
