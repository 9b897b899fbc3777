// `error.billed`: whether a failed call is on the bill, so that a person can decide whether to repeat it.
import { describe, expect, test } from 'vitest';
import { defineTool, type FinishError, finishError, isModelsvcError, type ModelsvcError, newClient, outputFormat } from '../../src/overlay/index.ts';
import { type Fault, faults } from '../../src/testing/index.ts';
import { onBothWays, taken } from '../support/both-ways.ts';
import { until } from '../support/clock.ts';
import { failure } from '../support/failure.ts';
import { sharedFake } from '../support/fake.ts';
import { startRawServer } from '../support/raw-server.ts';

const fake = await sharedFake();
const reply = { turn: { text: ['one ', 'two ', 'three'] } };
type Billed = ModelsvcError['billed'];

/** A behavior of the service, and `billed` of the errors of a complete reply and of a stream. Undefined: it does not fail. */
const rows: readonly (readonly [name: string, fault: Fault | readonly Fault[], whole: Billed | undefined, streamed: Billed | undefined])[] = [
  ['a refused parameter', faults.error(400, '1210'), 'no', 'no'],
  ['a rate limit', faults.rateLimit(), 'no', 'no'],
  ['a failure of the service', faults.error(500, '500'), 'no', 'no'],
  ['a page of a gateway', faults.htmlErrorPage(), 'no', 'no'],
  ['a refusal inside a success', faults.embeddedFailure(), 'no', 'no'],
  ['a refusal before the first item', faults.inBandError('1305', 'busy', 0), 'no', 'no'],
  ['a failure after the first item', faults.inBandError('1305', 'busy', 2), 'no', 'maybe'],
  ['a reset before the header', faults.resetBeforeHeaders(), 'maybe', 'maybe'],
  ['a silence before the header', faults.silentBeforeHeaders(), 'maybe', 'maybe'],
  ['half a header', faults.halfHeader(), 'maybe', 'maybe'],
  ['a reset in the body', faults.resetMidBody(200), 'maybe', 'maybe'],
  ['a success without content', faults.emptyBody(), 'maybe', 'maybe'],
  ['a success that is a page', faults.htmlErrorPage(200), 'maybe', 'maybe'],
  ['a cut stream', faults.truncatedStream(), undefined, 'maybe'],
  ['a whole reply in place of a stream', faults.jsonForStream(), undefined, 'maybe'],
  ['a stream in place of a whole reply', faults.streamForJson(), 'maybe', undefined],
  ['half of its bytes', faults.cutJson(), 'maybe', 'maybe'],
  ['a redirect to nowhere', faults.redirect('nowhere://x'), 'no', 'no'],
  ['a loss before a refusal', [faults.resetBeforeHeaders(), faults.error(400, '1210')], 'maybe', 'maybe'],
  ['a refusal before a loss', [faults.rateLimit({ ms: 1 }), faults.resetMidBody(200)], 'maybe', 'maybe'],
];

onBothWays((driver, clientFor) => {
  test.each(rows)('%s', async (_name, given, whole, streamed) => {
    const list = [given].flat() as Fault[];
    const limits = { maxRetries: list.length - 1, retryDelay: 1, timeout: 300 };
    const client = clientFor(fake, { ...limits, wholeReplies: true });
    const said = (error: unknown): Billed | undefined => (error as ModelsvcError | undefined)?.billed;
    fake.answer(driver.operation, ...list.map((one) => ({ ...one, reply })));
    const error = await driver.create(client).then(
      () => undefined,
      (cause: unknown) => cause,
    );
    fake.reset();
    fake.answer(driver.operation, ...list.map((one) => ({ ...one, reply })));
    const ended = await taken(driver.stream(client));
    // A fault that only a stream can have leaves a complete reply unchanged, or refuses it.
    expect([whole === undefined ? undefined : said(error), said(ended.error)]).toEqual([whole, streamed]);
    // A collected answer is billed as its stream is. JSON is an answer too.
    fake.reset();
    fake.answer(driver.operation, ...list.map((one) => ({ ...one, reply })));
    const collected = await driver.create(clientFor(fake, limits)).catch((cause: unknown) => cause);
    expect(said(collected)).toBe(list[0]?.fault === 'jsonForStream' ? undefined : streamed);
    if (error) expect(JSON.parse(JSON.stringify(error))).toMatchObject({ billed: said(error) });
  });

  test('an abort is `no` before the request is sent, and `maybe` after it', async () => {
    fake.fallback(driver.operation, faults.silentAfterHeaders(1));
    for (const way of ['create', 'stream'] as const) {
      const leaving = new AbortController();
      const count = fake.requests.length;
      const client = clientFor(fake, {});
      const call = way === 'create' ? failure(driver.create(client, leaving.signal)) : taken(driver.stream(client, leaving.signal));
      await until(() => fake.requests.length === count + 1);
      leaving.abort();
      expect(await call).toMatchObject(way === 'create' ? { billed: 'maybe' } : { error: { billed: 'maybe' } });
      expect(await failure(driver.create(client, leaving.signal))).toMatchObject({ kind: 'abort', billed: 'no' });
    }
  });

  test('an error of a tool loop has the bill of its rounds', async () => {
    const clock = defineTool({ name: 'clock', description: 'The time', input: { type: 'object' }, run: () => 'noon' });
    fake.answer(driver.operation, { turn: { toolCalls: [{ name: 'clock', arguments: {} }] } }, faults.error(400, '1210'));
    const run = driver.service(clientFor(fake, {})).runWithTools(undefined, driver.request('time?'), [clock] as never);
    expect(await failure(run)).toMatchObject({ code: '1210', billed: 'yes' });
  });
});

describe('without an answer', () => {
  const request = { model: 'glm-5.2', messages: [{ role: 'user' as const, content: 'hi' }] };

  test.each(['node:http', 'fetch'])('%s: no program at the port and no TLS are `no`', async (transport) => {
    const own = transport === 'fetch' ? { httpClient: (url: string, init: object) => fetch(url, init) } : {};
    const { port } = await startRawServer((socket) => void socket.end('no TLS here\r\n'), { eager: true });
    const gone = 'http://127.0.0.1:2/v4';
    for (const baseURL of [gone, `https://127.0.0.1:${port}/v4`]) {
      const client = newClient({ apiKey: 'fake-key-of-a-test', baseURL, maxRetries: 0, ...own } as never);
      const error = await failure(client.chat().create(undefined, request));
      // The fetch of Node names no phase, so that a broken handshake may be a request that was lost.
      const inDoubt = transport === 'fetch' && baseURL.startsWith('https');
      expect([baseURL, (error as ModelsvcError).billed]).toEqual([baseURL, inDoubt ? (error as ModelsvcError).billed : 'no']);
    }
  });

  test('a request that is invalid, a key that fails and a free call are `no`', async () => {
    const client = newClient(fake.configFor({ maxRetries: 0 }));
    expect(await failure(client.chat().create(undefined, { model: '' } as never))).toMatchObject({ kind: 'validation', billed: 'no' });
    const keyless = client.with({ apiKey: () => Promise.reject(new Error('vault')) });
    expect(await failure(keyless.chat().create(undefined, request))).toMatchObject({ kind: 'config', billed: 'no' });
    fake.answer('models.list', faults.resetMidBody());
    expect(await failure(client.models().list(undefined))).toMatchObject({ billed: 'no' });
    fake.answer('anthropic.countTokens', faults.resetMidBody());
    expect(await failure(client.anthropic().countTokens(undefined, request as never))).toMatchObject({ billed: 'no' });
  });

  test('an answer that is cut, or is not the structure that was asked for, is `yes`', async () => {
    const client = newClient(fake.configFor());
    fake.answer('chat.create', { turn: { text: 'not JSON' } }, { turn: { text: 'cut', finish: 'length' } });
    const format = outputFormat({ type: 'object', properties: { a: { type: 'string' } }, required: ['a'] });
    const error = await failure(client.chat().parse(undefined, request, format));
    expect(isModelsvcError(error, 'output') && error.billed).toBe('yes');
    expect(finishError(await client.chat().create(undefined, request))).toMatchObject({
      kind: 'finish',
      billed: 'yes',
    } satisfies Partial<FinishError>);
  });
});
