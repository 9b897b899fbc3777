import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { type BinaryReply, type Client, type Config, type DownloadOptions, isModelsvcError } from '../../src/overlay/index.ts';
import type { Reply } from '../../src/testing/index.ts';
import { transports } from '../support/both-ways.ts';
import { openFake } from '../support/fake.ts';
import { failureOf } from '../support/spec.ts';
import { strictRejections } from '../support/strict-rejections.ts';

const content = Buffer.alloc(3_000_000, 'RIFF and more ');
type Steps = [number, number | undefined][];

/** Each way to read that reports its progress. */
const ways: Readonly<Record<string, (reply: BinaryReply, options: DownloadOptions) => Promise<string | Uint8Array>>> = {
  bytes: (reply, options) => reply.bytes(options),
  text: (reply, options) => reply.text(options),
  stream: async (reply, options) => new Uint8Array(await new Response(reply.stream(options)).arrayBuffer()),
};

const calls: Readonly<Record<string, (client: Client) => Promise<BinaryReply>>> = {
  'files().content': (client) => client.files().content(undefined, 'id'),
  'audio().speech': (client) => client.audio().speech(undefined, { model: 'm', input: 'x', voice: 'v' }),
};

async function clientOf(answer: () => Reply, overrides: Partial<Config>): Promise<Client> {
  const { fake, client } = await openFake({ maxRetries: 0, ...overrides });
  fake.fallback('*', answer);
  return client;
}

const wav = { 'content-type': 'audio/wav' };
const sized = (): Reply => ({ body: content, headers: wav });
const chunked = (): Reply => ({ body: Readable.from([content.subarray(0, 1000), content.subarray(1000)]), headers: wav });
const compressed = (): Reply => ({ body: gzipSync(content), headers: { ...wav, 'content-encoding': 'gzip' } });

describe.each(transports)('over $transport', ({ overrides }) => {
  describe.each(Object.entries(calls))('%s', (_call, fetchIt) => {
    test.each(Object.entries(ways))('%s reports each block, with the total that content-length gives', async (_way, read) => {
      const steps: Steps = [];
      const reply = await fetchIt(await clientOf(sized, overrides));
      const got = await read(reply, { onProgress: ({ bytes, total }) => steps.push([bytes, total]) });
      expect(Buffer.compare(Buffer.from(got as Uint8Array), content)).toBe(0);
      expect(steps.length).toBeGreaterThan(2);
      const counts = steps.map(([bytes]) => bytes);
      expect(counts).toEqual([...new Set(counts)].sort((a, b) => a - b));
      expect(counts.at(-1)).toBe(content.length);
      expect(new Set(steps.map(([, total]) => total))).toEqual(new Set([content.length]));
    });

    test.each([
      ['in chunks', chunked],
      ['compressed', compressed],
    ])('has no total of a body that comes %s, and counts its content', async (_how, answer) => {
      const steps: Steps = [];
      const reply = await fetchIt(await clientOf(answer, overrides));
      await reply.bytes({ onProgress: ({ bytes, total }) => steps.push([bytes, total]) });
      expect(steps.at(-1)).toEqual([content.length, undefined]);
      expect(steps.every(([, total]) => total === undefined)).toBe(true);
    });

    test('a callback that throws does not fail the download', async () => {
      const rejections = strictRejections();
      const reply = await fetchIt(await clientOf(sized, overrides));
      const onProgress = (): never => {
        throw new Error('of the user');
      };
      expect((await reply.bytes({ onProgress })).length).toBe(content.length);
      expect(await rejections.settled()).toEqual([]);
    });
  });

  test.each([
    [{ onprogress: () => {} }, 'options.onprogress is unknown; did you mean onProgress?'],
    [{ onProgress: 5 }, 'options.onProgress must be a function'],
    [null, 'options must be an object of options'],
  ])('%j is refused, and the reply can still be read', async (options, message) => {
    const reply = await fileOf(overrides);
    const error = await failureOf(() => reply.bytes(options as never));
    expect(isModelsvcError(error, 'validation') && error.message).toBe(`files.content: ${message}`);
    expect((await reply.bytes({})).length).toBe(content.length);
  });
});

async function fileOf(overrides: Partial<Config>): Promise<BinaryReply> {
  return (await clientOf(sized, overrides)).files().content(undefined, 'id');
}
