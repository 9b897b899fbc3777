import { expect, test } from 'vitest';
import { isModelsvcError } from '../../src/overlay/index.ts';
import { type Fault, faults } from '../../src/testing/index.ts';
import { onBothWays, taken } from '../support/both-ways.ts';
import { failure } from '../support/failure.ts';
import { sharedFake } from '../support/fake.ts';

const fake = await sharedFake();

const unreadable: readonly (readonly [name: string, fault: Fault, words: RegExp])[] = [
  ['a header of 20 KB', faults.hugeHeader(), /header is incomplete or /],
  ['an invalid header line', faults.invalidHeader(), /header is incomplete or /],
  ['half a header', faults.halfHeader(), /header is incomplete or /],
  ['a 101', faults.switchingProtocols(), /header is incomplete or /],
  ['a length of 1e15', faults.lyingLength(), /broke in the middle of the response/],
  ['a reset after the header', faults.resetMidBody(30), /broke in the middle of the response/],
];

onBothWays((driver, clientFor) => {
  // A second request before the fault: what came on a socket earlier is not taken for the reply.
  test.each(unreadable)('%s: a call that bills is sent once, whole or streamed, and the message says what happened', async (name, fault, words) => {
    const calls: (() => Promise<unknown>)[] = [() => failure(driver.create(clientFor(fake)))];
    // The sentinel of a stream comes before the lie shows.
    if (name !== 'a length of 1e15') calls.push(async () => (await taken(driver.stream(clientFor(fake)))).error);
    for (const call of calls) {
      fake.answer(driver.operation, fault);
      const error = await call();
      expect(error).toMatchObject({ kind: 'connection', replied: true, attempts: 1 });
      expect(String(error)).toMatch(words);
    }
    expect(fake.requests).toHaveLength(calls.length);
  });

  test('a length that is too short: the rest is not taken for the next reply', async () => {
    fake.answer(driver.operation, faults.lyingLength(20));
    const client = clientFor(fake);
    // The header decides where the answer ends.
    expect(await failure(driver.create(client))).toMatchObject({ kind: 'stream', problem: 'malformed' });
    expect(fake.requests).toHaveLength(1);
    await expect(driver.create(client)).resolves.toBeDefined();
  });

  test.each(unreadable)('%s: a read, which bills nothing, is sent again', async (_name, fault) => {
    if (driver.surface !== 'chat') return;
    fake.answer('models.list', fault, fault);
    await clientFor(fake).models().list(undefined);
    expect(fake.requests).toHaveLength(3);
  });

  test('a request that the platform refuses to make is the error of the call, not of the process', async () => {
    if (driver.surface !== 'chat') return;
    const hooks: string[] = [];
    const client = clientFor(fake, { hooks: [{ onError: (_meta, error) => void hooks.push(error.name) }] });
    // No token of HTTP: `http.request` throws, and fetch rejects.
    const call = client.bindings('chat').request('NO TOKEN' as 'get', '/models', {});
    const error = await failure(call);
    expect(isModelsvcError(error) && error.kind).toBe('connection');
    expect(hooks.length).toBeGreaterThan(0);
    expect(fake.requests).toHaveLength(0);
  });
});
