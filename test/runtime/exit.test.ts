import { expect, test } from 'vitest';
import { type Fault, faults } from '../../src/testing/index.ts';
import { childOutcome } from '../support/child.ts';
import { openFake } from '../support/fake.ts';

const reply = { turn: { text: ['one ', 'two'] } };

test.each<[string, Fault | undefined, string]>([
  ['a stream that ended', undefined, 'for await (const _ of stream());'],
  ['a stream that was left', faults.keepAliveOnly(5, 2), 'for await (const _ of stream()) break;'],
  [
    'a stream that was aborted',
    faults.keepAliveOnly(5, 2),
    'const signal = AbortSignal.timeout(50); try { for await (const _ of stream(signal)); } catch {}',
  ],
  ['a stream that broke', faults.truncatedStream(), 'try { for await (const _ of stream()); } catch {}'],
  ['a whole call', undefined, "await client.chat().createSimple(undefined, 'm', 'hi');"],
])('%s keeps no process alive', async (_what, fault, body) => {
  const { fake } = await openFake();
  fake.fallback('chat.create', fault ? { ...fault, reply } : reply);
  // The fake closes no connection, and no bound of the client is shorter: a process that is kept alive is killed in the end.
  const { stdout } = await childOutcome(`
    const client = newClient(${JSON.stringify(fake.configFor())});
    const stream = (ctx) => client.chat().stream(ctx, { model: 'm', messages: [{ role: 'user', content: 'hi' }] });
    ${body}
    console.log('ended');
  `);
  expect(stdout).toBe('ended\n');
});
