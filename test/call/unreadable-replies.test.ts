import { expect, test } from 'vitest';
import { isModelsvcError } from '../../src/overlay/index.ts';
import { type Fault, faults } from '../../src/testing/index.ts';
import { onBothWays } from '../support/both-ways.ts';
import { failure } from '../support/failure.ts';
import { sharedFake } from '../support/fake.ts';

const fake = await sharedFake();

const unreadable: readonly (readonly [name: string, fault: Fault])[] = [
  ['a header of 20 KB', faults.hugeHeader()],
  ['an invalid header line', faults.invalidHeader()],
  ['half a header', faults.halfHeader()],
  ['a 101', faults.switchingProtocols()],
  ['a length of 1e15', faults.lyingLength()],
  ['a reset after the header', faults.resetMidBody(30)],
];

onBothWays((driver, clientFor) => {
  test('a length that is too short: the rest is not taken for the next reply', async () => {
    fake.answer(driver.operation, faults.lyingLength(20));
    const client = clientFor(fake, { wholeReplies: true });
    // The header decides where the answer ends.
    expect(await failure(driver.create(client))).toMatchObject({ kind: 'reply', problem: 'malformed' });
    expect(fake.requests).toHaveLength(1);
    await expect(driver.create(client)).resolves.toBeDefined();
  });

  test.each(unreadable)('%s: a read, which is free, is sent again', async (_name, fault) => {
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
