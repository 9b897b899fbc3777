import { expect, test } from 'vitest';
import { isApiError, isModelsvcError } from '../../src/overlay/index.ts';
import { type Fault, faults } from '../../src/testing/index.ts';
import { onBothWays, taken, textIn } from '../support/both-ways.ts';
import { stoppedClock, turns, until } from '../support/clock.ts';
import { sharedFake } from '../support/fake.ts';

const fake = await sharedFake();

const whole = 'one two three';
const reply = { turn: { text: ['one ', 'two ', 'three'] } };

const harmless: [name: string, fault: Fault][] = [
  ['slow drip', faults.slowDrip(64, 1)],
  ['one byte at a time', faults.oneByteAtATime()],
  ['gzip that nobody asked for', faults.gzip()],
  ['CRLF', faults.crlf()],
  ['bare CR', faults.cr()],
  ['byte order mark', faults.byteOrderMark()],
  ['all frames in one packet', faults.gluedFrames('packed')],
  ['no blank line after the last frame', faults.unterminatedEnd()],
  ['no [DONE] or message_stop after the finish reason', faults.missingDone()],
  ['a body left open after the end', faults.doneThenOpen()],
  ['junk after the end', faults.afterDone()],
  ['another content type', faults.wrongContentType()],
  ['no content type', faults.missingContentType()],
];

const apiFailures: [name: string, fault: Fault, code: string | undefined][] = [
  ['an error object in a frame', faults.inBandError('1234'), '1234'],
  ['an error event', faults.eventError('1305'), '1305'],
  ['an error object as the first frame', faults.inBandError('1302', 'slow down', 0), '1302'],
  ['JSON in place of the stream', faults.jsonForStream(), undefined],
  ['a failure inside a 200 in place of the stream', faults.embeddedFailure(), '1305'],
];

onBothWays((driver, clientFor) => {
  test.each(harmless)('%s: the complete answer comes', async (_name, fault) => {
    fake.answer(driver.operation, { ...fault, reply });
    const { items, error } = await taken(driver.stream(clientFor(fake)));
    expect(error).toBeUndefined();
    expect(textIn(items)).toBe(whole);
  });

  test.each([
    ['between frames, cleanly', faults.truncatedStream('frame', 'end')],
    ['inside a frame, cleanly', faults.truncatedStream('midFrame', 'end')],
    ['without a single frame', faults.emptyStream()],
    ['without a finish reason and a sentinel', faults.all(faults.missingFinish(), faults.missingDone())],
  ])('a stream cut off %s is an error after its chunks, not a short answer', async (_name, fault) => {
    fake.answer(driver.operation, { ...fault, reply });
    const { items, error } = await taken(driver.stream(clientFor(fake)));
    expect(isModelsvcError(error, 'stream') && error.problem).toBe('truncated');
    expect(whole.startsWith(textIn(items))).toBe(true);
    expect(fake.requests).toHaveLength(1);
  });

  test.each([
    ['malformed JSON', faults.malformedFrame()],
    ['two frames with nothing between them', faults.gluedFrames('undelimited', 1)],
    ['a frame cut off by the next', faults.gluedFrames('cut', 1)],
  ])('%s is an error that gives the position and not the payload', async (_name, fault) => {
    fake.answer(driver.operation, { ...fault, reply: { turn: { text: ['SECRET-PAYLOAD ', 'SECRET-PAYLOAD', 'x'] } } });
    const { error } = await taken(driver.stream(clientFor(fake)));
    expect(isModelsvcError(error, 'stream') && error.problem).toBe('malformed');
    expect(String(error)).toMatch(/event \d+/);
    expect(String(error)).not.toContain('SECRET');
  });

  test.each(apiFailures)('%s is an ApiError', async (_name, fault, code) => {
    fake.answer(driver.operation, { ...fault, reply });
    const { error } = await taken(driver.stream(clientFor(fake, { maxRetries: 0 })));
    expect(isApiError(error)).toBe(true);
    expect(isApiError(error) && error.code).toBe(code);
    expect(isApiError(error) && error.requestId).toMatch(/^\d{14}/);
    expect(fake.requests).toHaveLength(1);
  });

  test('chunks before an in-band error are delivered first', async () => {
    fake.answer(driver.operation, { ...faults.inBandError('1234', 'broken', 4), reply });
    const { items, error } = await taken(driver.stream(clientFor(fake)));
    expect(items.length).toBeGreaterThanOrEqual(3);
    expect(isApiError(error)).toBe(true);
  });

  test('keep-alives for ever hold a stream open, until streamContentTimeout', async () => {
    const clock = stoppedClock();
    // The age of the process does not count.
    clock.pass(3_600_000);
    fake.answer(driver.operation, faults.keepAliveOnly(1));
    const call = taken(driver.stream(clientFor(fake, { streamIdleTimeout: 60_000, streamContentTimeout: 10_000 })));
    await until(() => fake.requests.length === 1);
    await turns();
    const started = performance.now();
    const { error } = await clock.run(call, 10);
    expect(isModelsvcError(error, 'timeout') && error.timeoutMs).toBe(10_000);
    expect(performance.now() - started).toBeLessThan(20_000);
  });

  test('pings and empty deltas are not content, and the error names streamContentTimeout', async () => {
    const empty = driver.piece('');
    const starts = {
      chat: [],
      messages: [
        { type: 'message_start', message: { id: '1', type: 'message', role: 'assistant', content: [], model: 'm' } },
        { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      ],
      responses: [{ type: 'response.created', response: { id: '1' } }],
    };
    const start: object[] = starts[driver.surface];
    // So many that they last longer than the bound; then silence.
    const frames = [...start, ...Array.from({ length: 100_000 }, () => empty)];
    fake.answer(driver.operation, { ...faults.slowDrip(400, 5), reply: { frames } });
    const drip = await taken(driver.stream(clientFor(fake, { streamContentTimeout: 120 })));
    expect(drip.error).toMatchObject({ kind: 'timeout', timeoutMs: 120 });
    expect(String(drip.error)).toMatch(/streamContentTimeout/);
    fake.answer(driver.operation, faults.keepAliveOnly(5));
    const pings = await taken(driver.stream(clientFor(fake, { streamContentTimeout: 120 })));
    expect(String(pings.error)).toMatch(/streamContentTimeout/);
  });

  test('a reader who is slow is not a silence of the service, for either bound', async () => {
    const clock = stoppedClock();
    fake.answer(driver.operation, reply);
    const stream = driver.stream(clientFor(fake, { streamIdleTimeout: 1000, streamContentTimeout: 1000 }));
    const items: object[] = [];
    for (let next = await stream.next(); !next.done; next = await stream.next()) {
      items.push(next.value);
      await turns();
      clock.pass(10_000);
      await turns();
    }
    expect(textIn(items)).toBe(whole);
  });

  test.each([
    ['reset before the header', [faults.resetBeforeHeaders(), faults.resetBeforeHeaders()]],
    ['5xx', faults.serverErrors(2, 503)],
    ['429 in seconds', [faults.rateLimit({ seconds: 0 })]],
    ['429 with a date', [faults.rateLimit({ dateInMs: 0 })]],
    ['429 in milliseconds', [faults.rateLimit({ ms: 1 })]],
  ])('opening a stream is retried: %s', async (_name, run) => {
    fake.answer(driver.operation, ...run, reply);
    const { items, error } = await taken(driver.stream(clientFor(fake)));
    expect(error).toBeUndefined();
    expect(textIn(items)).toBe(whole);
    expect(fake.requests).toHaveLength(run.length + 1);
  });
});
