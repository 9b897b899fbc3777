import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, expectTypeOf, onTestFinished, test } from 'vitest';
import { fileFromPath } from '../../src/node/index.ts';
import { type AnthropicContentBlock, imageBlock, imagePart, isModelsvcError, newClient } from '../../src/overlay/index.ts';
import type { ContentPart, FileSource } from '../../src/types/index.ts';
import { transports } from '../support/both-ways.ts';
import { sharedFake } from '../support/fake.ts';
import { JsdomFile } from '../support/jsdom-blob.ts';
import { failureOf } from '../support/spec.ts';

const fake = await sharedFake();

/** The first bytes of each kind of image. */
const signatures: Readonly<Record<string, readonly number[]>> = {
  'image/png': [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a],
  'image/jpeg': [0xff, 0xd8, 0xff, 0xe0],
  'image/gif': [...Buffer.from('GIF89a')],
  'image/webp': [...Buffer.from('RIFF'), 1, 2, 0x0a, 4, ...Buffer.from('WEBP')],
};

/** An image of its kind with each byte value in it. */
function image(type: string, size = 1000): Uint8Array<ArrayBuffer> {
  const bytes = Uint8Array.from({ length: size }, (_, at) => at * 7);
  bytes.set((signatures[type] ?? []).slice(0, size));
  return bytes;
}

function dataOf(part: ContentPart): { type: string | undefined; bytes: Buffer } {
  const [, type, text = ''] = /^data:([^;]*);base64,(.*)$/.exec(part.image_url?.url ?? '') ?? [];
  return { type, bytes: Buffer.from(text, 'base64') };
}

const png = image('image/png');
async function* blocks(): AsyncGenerator<Uint8Array> {
  // One buffer for all blocks, as fileFromPath has.
  const buffer = new Uint8Array(100);
  for (let at = 0; at < png.length; at += 100) {
    buffer.set(png.subarray(at, at + 100));
    yield buffer;
  }
}

function onDisk(bytes: Uint8Array): string {
  const folder = mkdtempSync(join(tmpdir(), 'image-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'a.bin');
  writeFileSync(path, bytes);
  return path;
}

describe('the bytes', () => {
  test('arrive as they were, for all sizes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 100_000 }), fc.nat(255), async (size, seed) => {
        const bytes = Uint8Array.from({ length: size }, (_, at) => (at * 31 + seed) % 256);
        const part = await imagePart(bytes, { mediaType: 'image/x' });
        expect(Buffer.compare(dataOf(part).bytes, bytes)).toBe(0);
        const block = await imageBlock(bytes, { mediaType: 'image/x' });
        expect((block.source as { data: string }).data).toBe(Buffer.from(bytes).toString('base64'));
      }),
      { seed: 15, numRuns: 150 },
    );
  });

  test.each([1, 2, 3, 24_575, 24_576, 24_577, 49_152, 49_153])('%d bytes are the base64 of Node', async (size) => {
    const bytes = Uint8Array.from({ length: size }, (_, at) => at * 13);
    expect((await imagePart(bytes, { mediaType: 'image/x' })).image_url?.url).toBe(`data:image/x;base64,${Buffer.from(bytes).toString('base64')}`);
  });

  test.each([
    ['bytes', async () => png],
    ['a view', async () => new DataView(png.buffer)],
    ['a buffer', async () => png.buffer],
    ['a Node buffer in a pool', async () => Buffer.from(png)],
    ['a Blob', async () => new Blob([png])],
    ['a File of another name and type', async () => new File([png], 'a.txt', { type: 'text/plain' })],
    ['a File of jsdom', async () => new JsdomFile(png) as unknown as File],
    ['a web stream', async () => new Blob([png]).stream()],
    ['blocks in one buffer', async () => blocks()],
    ['a path', async () => fileFromPath(onDisk(png))],
  ])('come from %s', async (_what, source) => {
    const { type, bytes } = dataOf(await imagePart((await source()) as FileSource));
    expect([type, Buffer.compare(bytes, png)]).toEqual(['image/png', 0]);
  });
});

describe('the media type', () => {
  test.each(Object.keys(signatures))('%s is known by its first bytes', async (type) => {
    expect(dataOf(await imagePart(image(type))).type).toBe(type);
    expect((await imageBlock(image(type))).source).toMatchObject({ type: 'base64', media_type: type });
  });

  test('is the given one, if one is given', async () => {
    expect(dataOf(await imagePart(png, { mediaType: 'image/svg+xml' })).type).toBe('image/svg+xml');
  });
});

const failing = { name: 'a.png', open: () => Promise.reject(new Error('EACCES: /home/someone')) };
const endless = {
  name: 'a.png',
  async *open() {
    for (;;) yield new Uint8Array(8_000_000);
  },
};

test.each([
  ['no bytes', new Uint8Array(0), undefined, 'source is empty'],
  ['an empty Blob', new Blob([]), { mediaType: 'image/png' }, 'source is empty'],
  ['text', Buffer.from('secret words'), undefined, 'source is not a PNG, JPEG, GIF or WebP image; for another kind set mediaType'],
  ['text in a Blob that claims to be an image', new Blob(['secret'], { type: 'image/png' }), undefined, 'source is not a PNG'],
  ['a part of a signature', image('image/webp', 11), undefined, 'source is not a PNG'],
  ['a media type that is not one', png, { mediaType: 'png' }, 'mediaType must be the media type of an image, for instance image/png'],
  ['a media type with a comma', png, { mediaType: 'image/png,secret' }, 'mediaType must be'],
  ['a misspelt option', png, { mediatype: 'image/png' }, 'options.mediatype is unknown; did you mean mediaType?'],
  [
    'a path',
    'secret.png',
    undefined,
    'source must be a Blob, bytes, a stream of bytes or a FileUpload; for a path use fileFromPath of modelsvc/node',
  ],
  ['nothing', undefined, undefined, 'source must be a Blob'],
  ['a source that fails', failing, undefined, 'source could not be read'],
  ['a source of text', { name: 'a', open: () => blocksOf('secret') }, undefined, 'source returned a block that is not bytes'],
  ['a source that never ends', endless, undefined, 'source must be at most 50 MB'],
  ['a size over the bound', { ...failing, size: 60_000_000 }, undefined, 'source must be at most 50 MB'],
])('%s: a ValidationError', async (_what, source, options, message) => {
  for (const [name, make] of Object.entries({ imagePart, imageBlock })) {
    const error = await failureOf(() => make(source as never, options as never));
    if (!isModelsvcError(error, 'validation')) throw error;
    expect(error.message).toContain(`${name}: ${message}`);
    expect(error.message + JSON.stringify(error)).not.toMatch(/secret|EACCES/);
  }
});

async function* blocksOf(text: string): AsyncGenerator<never> {
  yield text as never;
}

describe.each(transports)('over $transport', ({ overrides }) => {
  test('the service gets exactly the bytes, on both surfaces', async () => {
    const client = newClient(fake.configFor(overrides));
    const large = image('image/jpeg', 3_000_001);
    await client.chat().create(undefined, {
      model: 'glm-4.6v',
      messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }, await imagePart(large)] }],
    });
    await client.anthropic().create(undefined, {
      model: 'glm-4.6v',
      max_tokens: 9,
      messages: [{ role: 'user', content: [await imageBlock(large), { type: 'text', text: 'hi' }] }],
    });
    const [chat, message] = fake.requests.map(({ body }) => (body as { messages: { content: unknown[] }[] }).messages[0]?.content);
    const { type, bytes } = dataOf(chat?.[1] as ContentPart);
    expect([type, Buffer.compare(bytes, large)]).toEqual(['image/jpeg', 0]);
    const source = (message?.[0] as AnthropicContentBlock | undefined)?.source as { data: string };
    expect({ ...source, data: Buffer.compare(Buffer.from(source.data, 'base64'), large) }).toEqual({
      type: 'base64',
      media_type: 'image/jpeg',
      data: 0,
    });
  });
});

test("the types are the messages' types", () => {
  expectTypeOf(imagePart).returns.resolves.toEqualTypeOf<ContentPart>();
  expectTypeOf(imageBlock).returns.resolves.toEqualTypeOf<AnthropicContentBlock>();
});
