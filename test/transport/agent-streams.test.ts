import { Agent } from 'node:http';
import { connect } from 'node:net';
import { Duplex } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { newClient } from '../../src/overlay/index.ts';
import { faults } from '../../src/testing/index.ts';
import { surfaces, taken, textIn } from '../support/both-ways.ts';
import { sharedFake } from '../support/fake.ts';

const fake = await sharedFake();

/** Its connections are streams over a socket, like an SSH tunnel's. They have no `ref` and no `unref`. */
class StreamAgent extends Agent {
  override createConnection(options: { port: number; host: string }): Duplex {
    const socket = connect(options.port, options.host);
    return Duplex.from({ readable: socket, writable: socket });
  }
}

describe.each(surfaces)('$surface', (driver) => {
  test('an answer streams over connections that are not sockets, and is requested once', async () => {
    fake.answer(driver.operation, { ...faults.oneByteAtATime(), reply: { turn: { text: ['one ', 'two'] } } });
    const client = newClient(fake.configFor({ agent: new StreamAgent() }));
    const { items, error } = await taken(driver.stream(client));
    expect(error).toBeUndefined();
    expect(textIn(items)).toBe('one two');
    expect(fake.requests).toHaveLength(1);
  });
});
