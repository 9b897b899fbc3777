import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { type BinaryReply, type Client, type Config, type DownloadOptions, isValidationError, newClient } from '../../src/overlay/index.ts';
import { transports } from '../support/both-ways.ts';
import { configAt, failureOf } from '../support/spec.ts';
import { strictRejections } from '../support/strict-rejections.ts';
import { uploadServer } from '../support/upload-server.ts';

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

async function clientOf(answer: (outgoing: ServerResponse) => unknown, overrides: Partial<Config>): Promise<Client> {
  const api = await uploadServer(async (incoming, outgoing) => {
    incoming.resume();
    await answer(outgoing);
  });
  return newClient(configAt(api.url, { maxRetries: 0, ...overrides }));
}

const wav = { 'content-type': 'audio/wav' };
const sized = (outgoing: ServerResponse): unknown => outgoing.writeHead(200, { ...wav, 'content-length': String(content.length) }).end(content);
const chunked = (outgoing: ServerResponse): unknown => {
  outgoing.writeHead(200, wav).write(content.subarray(0, 1000));
  return outgoing.end(content.subarray(1000));
};
const compressed = (outgoing: ServerResponse): unknown => {
  const body = gzipSync(content);
  return outgoing.writeHead(200, { ...wav, 'content-encoding': 'gzip', 'content-length': String(body.length) }).end(body);
};

describe.each(transports)('over $transport', ({ overrides }) => {
  describe.each(Object.entries(calls))('%s', (_call, fetchIt) => {
    test.each(Object.entries(ways))('%s reports each block, with the total that content-length gives', async (_way, read) => {
      const steps: Steps = [];
      const reply = await fetchIt(await clientOf(sized, overrides));
      const got = await read(reply, { onProgress: (bytes, total) => steps.push([bytes, total]) });
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
      await reply.bytes({ onProgress: (bytes, total) => steps.push([bytes, total]) });
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
    expect(isValidationError(error) && error.message).toBe(`files.content: ${message}`);
    expect((await reply.bytes({})).length).toBe(content.length);
  });
});

async function fileOf(overrides: Partial<Config>): Promise<BinaryReply> {
  return (await clientOf(sized, overrides)).files().content(undefined, 'id');
}
