import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { Reply } from '../../src/testing/index.ts';
import { surfaces, taken, transports } from '../support/both-ways.ts';
import { openFake } from '../support/fake.ts';
import { bodyOf } from '../support/kept-server.ts';

/** A frame of zstd with one block, stored as it is. Node 20 has no compressor. */
function zstdOf(bytes: Uint8Array): Buffer {
  const head = Buffer.alloc(12);
  head.writeUInt32LE(0xfd2fb528);
  head.writeUInt8(0xa0, 4);
  head.writeUInt32LE(bytes.length, 5);
  head.writeUIntLE((bytes.length << 3) | 1, 9, 3);
  return Buffer.concat([head, bytes]);
}

const readsZstd = 'createZstdDecompress' in process.getBuiltinModule('node:zlib');
const other = (bytes: Buffer): Buffer => Buffer.from(bytes.map((byte) => byte ^ 0x55));

const cases: readonly (readonly [header: string, encode: (bytes: Buffer) => Buffer, isRead: boolean])[] = [
  ['gzip', gzipSync, true],
  ['x-gzip', gzipSync, true],
  ['GZIP', gzipSync, true],
  ['deflate', deflateSync, true],
  ['deflate', deflateRawSync, true],
  ['br', brotliCompressSync, true],
  ['identity', (bytes) => bytes, true],
  ['identity, gzip', gzipSync, true],
  ['gzip, br', (bytes) => brotliCompressSync(gzipSync(bytes)), true],
  ['deflate, gzip', (bytes) => gzipSync(deflateRawSync(bytes)), true],
  ['zstd', zstdOf, readsZstd],
  ['compress', other, false],
  ['aws-chunked', other, false],
  ['gzip', other, false],
  ['deflate', () => Buffer.from([0x78, 0x9c, 0xff, 0xff, 0xff]), false],
  ['br', () => Buffer.alloc(64, 0xff), false],
];

async function ended(stream: AsyncIterable<object>): Promise<object> {
  const { items, error } = await taken(stream);
  if (error !== undefined) throw error;
  return items;
}

describe.each(transports)('over $transport', ({ transport, overrides }) => {
  describe.each(surfaces)('on $surface', (driver) => {
    // The fetch of Node undoes no list that names `identity`.
    const here = transport === 'fetch' ? cases.filter(([encoding]) => encoding !== 'identity, gzip') : cases;
    test.each(here)('a reply with the encoding %s is read or named (%#)', async (encoding, encode, isRead) => {
      const { fake, client } = await openFake({ ...overrides, maxRetries: 0 });
      const answer = (isStream: boolean): Reply => ({
        body: encode(Buffer.from(bodyOf(driver.surface, isStream, 'Grüße'))),
        headers: { 'content-type': isStream ? 'text/event-stream' : 'application/json', 'content-encoding': encoding },
      });
      fake.answer(driver.operation, answer(false), answer(true));
      const calls = [() => driver.create(client), () => ended(driver.stream(client))];
      for (const call of calls) {
        const result = call();
        if (isRead) expect(JSON.stringify(await result)).toContain('Grüße');
        else {
          const named = new RegExp(
            `: the reply has the content-encoding ${encoding}, which (cannot be read here|could not be undone)\\. The call may be billed`,
          );
          await expect(result).rejects.toMatchObject({ kind: 'connection', phase: 'body', message: expect.stringMatching(named) });
        }
      }
      expect(fake.requests).toHaveLength(2);
    });
  });
});

test.each(transports)(
  'a stream that cannot be read fails at its first bytes, and a status keeps its error, over $transport',
  async ({ overrides }) => {
    const { fake, client } = await openFake({ ...overrides, maxRetries: 0 });
    async function* frames(): AsyncGenerator<string> {
      yield 'data: {}\n\n';
      await new Promise(() => undefined);
    }
    fake.answer(
      'chat.create',
      { frames: frames(), headers: { 'content-encoding': 'compress' } },
      { status: 503, body: other(Buffer.from('{}')), headers: { 'content-encoding': 'compress' } },
    );
    const request = { model: 'glm-5.2', messages: [{ role: 'user' as const, content: 'hi' }] };
    await expect(ended(client.chat().stream(undefined, request))).rejects.toThrow(
      'the reply has the content-encoding compress, which cannot be read here',
    );
    await expect(client.chat().create(undefined, request)).rejects.toMatchObject({ kind: 'api', status: 503 });
    await fake.idle();
  },
);

test('node:http asks for no encoding, unless your headers do', async () => {
  const { fake, client } = await openFake();
  await client.quota().getLimit(undefined);
  await client.quota().getLimit({ headers: { 'accept-encoding': 'gzip' } });
  expect(fake.requests.map(({ headers }) => headers['accept-encoding'])).toEqual(['identity', 'gzip']);
});
