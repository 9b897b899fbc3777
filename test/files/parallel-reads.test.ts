import { describe, expect, test } from 'vitest';
import { newClient } from '../../src/overlay/index.ts';
import { transports } from '../support/both-ways.ts';
import { configAt } from '../support/spec.ts';
import { uploadServer } from '../support/upload-server.ts';

describe.each(transports)('over $transport', ({ overrides }) => {
  test('blocks of a reply that are requested at once arrive in order, and the requests after its end are done', async () => {
    const api = await uploadServer((_incoming, outgoing) => outgoing.writeHead(200, { 'content-type': 'audio/wav' }).end('RIFF'));
    const reply = await newClient(configAt(api.url, overrides)).files().content(undefined, 'file-1');
    const blocks = reply[Symbol.asyncIterator]();
    const [first, ...rest] = await Promise.all([blocks.next(), blocks.next(), blocks.next()]);
    expect(Buffer.from(first?.value ?? []).toString()).toBe('RIFF');
    expect(rest).toEqual([
      { value: undefined, done: true },
      { value: undefined, done: true },
    ]);
  });

  test('requests for blocks that wait behind another one end when the reply is left', async () => {
    const api = await uploadServer((_incoming, outgoing) => void outgoing.writeHead(200, { 'content-type': 'audio/wav' }).write('RIFF'));
    const reply = await newClient(configAt(api.url, overrides)).files().content(undefined, 'file-1');
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
