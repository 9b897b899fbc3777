import { describe, expect, test } from 'vitest';
import { type BinaryReply, type Config, newClient } from '../../src/overlay/index.ts';
import { type Answer, faults } from '../../src/testing/index.ts';
import { transports } from '../support/both-ways.ts';
import { openFake } from '../support/fake.ts';

const answer = { body: 'RIFF', headers: { 'content-type': 'audio/wav' } };

async function replyTo(given: Answer, overrides: Partial<Config>): Promise<BinaryReply> {
  const { fake } = await openFake();
  fake.answer('files.content', given);
  return newClient(fake.configFor(overrides)).files().content(undefined, 'file-1');
}

describe.each(transports)('over $transport', ({ overrides }) => {
  test('blocks of a reply that are requested at once arrive in order, and the requests after its end are done', async () => {
    const reply = await replyTo(answer, overrides);
    const blocks = reply[Symbol.asyncIterator]();
    const [first, ...rest] = await Promise.all([blocks.next(), blocks.next(), blocks.next()]);
    expect(Buffer.from(first?.value ?? []).toString()).toBe('RIFF');
    expect(rest).toEqual([
      { value: undefined, done: true },
      { value: undefined, done: true },
    ]);
  });

  test('requests for blocks that wait for another one end when the reply is left', async () => {
    const reply = await replyTo({ ...faults.doneThenOpen(), reply: answer }, overrides);
    const blocks = reply[Symbol.asyncIterator]();
    await blocks.next();
    const waiting = Promise.all([blocks.next(), blocks.next()]);
    await blocks.return?.();
    expect(await waiting).toEqual([
      { value: undefined, done: true },
      { value: undefined, done: true },
    ]);
  });
});
