// Base64 text in fields that take a link or a data URI, and the media type of bytes.

import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { mediaTypeOf } from '../../src/node/index.ts';
import { asDataURI } from '../../src/overlay/files/media-type.ts';
import { newClient } from '../../src/overlay/index.ts';
import { failure } from '../support/failure.ts';
import { openFake } from '../support/fake.ts';
import { ofKind } from '../support/of-kind.ts';

const latin = (text: string): Buffer => Buffer.from(text, 'latin1');

const heads: readonly (readonly [type: string, head: string])[] = [
  ['image/png', '\x89PNG\r\n\x1a\n'],
  ['image/jpeg', '\xff\xd8\xff\xe0'],
  ['image/gif', 'GIF89a'],
  ['image/webp', 'RIFF\x01\x02\x03\x04WEBP'],
  ['application/pdf', '%PDF-1.7'],
  ['audio/wav', 'RIFF\x01\x02\x03\x04WAVE'],
  ['audio/mpeg', 'ID3\x04'],
  ['audio/mpeg', '\xff\xfb\x90'],
  ['audio/ogg', 'OggS'],
  ['audio/flac', 'fLaC'],
  ['audio/mp4', '\0\0\0\x20ftypM4A '],
  ['video/mp4', '\0\0\0\x20ftypisom'],
  ['video/webm', '\x1a\x45\xdf\xa3'],
];

it.each(heads)('%s is known by %j, whatever follows, also in base64 text with line ends', (type, head) => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (rest) => {
      const bytes = Buffer.concat([latin(head), rest]);
      expect(mediaTypeOf(bytes)).toBe(type);
      // The fields take images and PDF files only.
      if (!/^(image|application)\//.test(type)) return;
      const data = bytes.toString('base64');
      const lines = data.replace(/.{76}/g, '$&\r\n');
      for (const text of [data, lines]) expect(asDataURI('file', text, true)).toBe(`data:${type};base64,${data}`);
    }),
  );
});

it.each(['text', '', 'R', '\xff\xff\xff', '{"a": 1}'])('%j has no known type', (text) => {
  expect(mediaTypeOf(latin(text))).toBeUndefined();
});

it.each(['https://example.com/a.png', 'HTTP://example.com/a', 'data:image/png;base64,AAAA', 'DATA:,a'])('%s goes out as it is', (text) => {
  expect(asDataURI('file', text, true)).toBe(text);
});

const pngText = latin('\x89PNG\r\n\x1a\n....').toString('base64');
const fields = [
  ['layout.parse', 'file', (file: string) => [{ model: 'glm-ocr', file }, file]],
  ['videos.generate', 'image_url', (image_url: string) => [{ model: 'vidu2-image', prompt: 'a', image_url }, image_url]],
  [
    'videos.generate',
    'image_url[1]',
    (image: string) => [{ model: 'vidu2-start-end', prompt: 'a', image_url: ['https://example.com/a', image] }, image],
  ],
] as const;

describe.each(fields)('%s, %s', (operation, path, requestOf) => {
  const [service, method] = operation.split('.') as ['layout', 'parse'];

  it('base64 text is sent as a data URI', async () => {
    const { fake, client } = await openFake();
    const [request] = requestOf(pngText);
    await client[service]()[method](undefined, request as never);
    expect(JSON.stringify(fake.requests[0]?.body)).toContain(`data:image/png;base64,${pngText}`);
    expect(JSON.stringify(request)).not.toContain('data:');
    expect(fake.refusals).toEqual([]);
  });

  it.each(['AAAA', 'scan.pdf', 'ftp://example.com/a.png', latin('text').toString('base64')])('%s is refused before a request', async (text) => {
    const { fake, client } = await openFake();
    const error = await failure(client[service]()[method](undefined, requestOf(text)[0] as never));
    expect(error).toSatisfy(ofKind('validation'));
    expect(error).toMatchObject({
      operation,
      path,
      message: expect.stringMatching(/must be a link or a data URI.*write base64 as data:image\/png;base64,/),
    });
    expect(fake.requests).toEqual([]);
  });

  it('another host gets text of an unknown kind as it is', async () => {
    const bodies: unknown[] = [];
    const httpClient = async (_url: string, { body }: RequestInit): Promise<Response> => {
      bodies.push(body);
      throw new Error('no network');
    };
    const client = newClient({ apiKey: 'any', endpoints: 'http://127.0.0.1:9', httpClient: httpClient as never, maxRetries: 0 });
    await failure(client[service]()[method](undefined, requestOf('AAAA')[0] as never));
    expect(bodies).toEqual([JSON.stringify(requestOf('AAAA')[0])]);
  });
});

it('the fake refuses base64 text for a layout, as the service does', async () => {
  const { fake, client } = await openFake({ maxRetries: 0 });
  const reply = await client.bindings('chat').POST('/layout_parsing', { body: { model: 'glm-ocr', file: pngText } });
  expect(reply.error).toMatchObject({ error: { code: '1214' } });
  expect(fake.refusals).toHaveLength(1);
});

it('each string field of a request that the spec describes with base64 has a decision', () => {
  const { components } = parse(readFileSync(new URL('../../spec/openapi.yaml', import.meta.url), 'utf8')) as {
    components: { schemas: Record<string, { properties?: Record<string, { description?: string }> }> };
  };
  const found = Object.entries(components.schemas).flatMap(([name, { properties = {} }]) =>
    Object.entries(properties).flatMap(([field, { description = '' }]) => (/base64/i.test(description) ? [`${name}.${field}`] : [])),
  );
  expect(found.sort()).toEqual(Object.keys(decisions).sort());
});

/** The service takes base64 text in these fields. The client sends the text as it is, except for the first two. */
const decisions: Readonly<Record<string, string>> = {
  'LayoutRequest.file': 'sent as a data URI',
  'VideoRequest.image_url': 'sent as a data URI',
  'AnthropicSource.data': 'a data URI is refused',
  'ImageUrl.url': 'a data URI, as the contract has it; bare base64 is documented for some models',
  'FileUrl.url': 'never base64',
  'ResponsesInputPart.image_url': 'a data URI',
  'InputAudio.data': 'bare base64',
  'TranscriptionRequest.file': 'bytes',
  'TranscriptionRequest.file_base64': 'bare base64',
  'ChatAudio.data': 'a reply',
  'ChatAudioDelta.data': 'a reply',
};
