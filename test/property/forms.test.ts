// A form of any fields: its parts match the request, its length and progress match its bytes.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { MultipartBody } from '../../src/overlay/files/multipart.ts';
import type { TransferProgress } from '../../src/overlay/files/progress.ts';
import { formInput } from '../../src/overlay/files/upload-request.ts';
import { partsOf } from '../../src/testing/requests/form-parts.ts';

const parts = { file: { files: 'one' }, images: { files: 'many', type: 'image/png' }, meta: { type: 'application/json' } } as const;
const octets = fc.uint8Array({ maxLength: 40 }).map((bytes) => Uint8Array.from(bytes));
const sources = fc.constantFrom('bytes', 'blob', 'stream', 'upload');

interface Given {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly source: 'bytes' | 'blob' | 'stream' | 'upload';
}

async function* blocks(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 7) yield bytes.subarray(at, at + 7);
}

function fileOf({ bytes, source }: Given): unknown {
  if (source === 'bytes') return bytes;
  if (source === 'blob') return new Blob([bytes]);
  return source === 'stream' ? blocks(bytes) : { name: 'f', open: () => blocks(bytes) };
}

async function read(body: MultipartBody): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for await (const piece of body.open()) pieces.push(piece);
  return Buffer.concat(pieces);
}

const file = fc.record({ bytes: octets, source: sources }) as fc.Arbitrary<Given>;
const request = fc.record(
  { note: fc.string(), file, images: fc.array(file, { maxLength: 4 }), tags: fc.array(fc.string(), { maxLength: 3 }), meta: fc.jsonValue() },
  { requiredKeys: [] },
);

it('has a part for each value, its own length, and the progress of all its files', async () => {
  await fc.assert(
    fc.asyncProperty(request, async ({ file: one, images, meta, ...texts }) => {
      const files = [...(one ? [one] : []), ...(images ?? [])];
      const progress: [number, number | undefined][] = [];
      const fields = { ...texts, file: one && fileOf(one), images: images?.map(fileOf), meta: meta === undefined ? undefined : { meta } };
      const onProgress = ({ bytes, total }: TransferProgress): number => progress.push([bytes, total]);
      const body = formInput({ parts }, { ...fields, onProgress }).upload as MultipartBody;
      const hasSize = files.every(({ source }) => source === 'bytes' || source === 'blob');
      const total = files.reduce((sum, { bytes }) => sum + bytes.length, 0);
      expect(body.contentLength !== undefined).toBe(hasSize);
      expect(body.blob() !== undefined).toBe(hasSize);
      expect(body.replayable).toBe(true);
      const sent = await read(body);
      if (hasSize) expect(sent.length).toBe(body.contentLength);
      if (hasSize) expect(Buffer.from((await body.blob()?.arrayBuffer()) ?? new ArrayBuffer(0)).equals(sent)).toBe(true);
      if (total > 0) expect(progress.at(-1)).toEqual([total, hasSize ? total : undefined]);
      // A stream can be read once.
      expect(body.replayable).toBe(!files.some(({ source }) => source === 'stream'));
      const values = Object.entries({ ...texts, file: one, images, meta: fields.meta }).flatMap(([name, value]) =>
        value === undefined ? [] : [value].flat().map((entry) => ({ name, ...partFor(entry) })),
      );
      const received = partsOf(sent, body.contentType).map(({ name, bytes, headers }) => ({
        name,
        type: headers['content-type'],
        bytes: [...bytes],
      }));
      expect(received).toEqual(values.map(({ name, type, bytes }) => ({ name, type: typeOf(name) ?? type, bytes: [...bytes] })));
    }),
  );
});

it('takes a list only where the spec has one', () => {
  expect(() => formInput({ parts }, { file: [new Uint8Array()] })).toThrow('file must be a Blob, bytes, a stream of bytes or a FileUpload');
});

function typeOf(name: string): string | undefined {
  return name === 'images' ? 'image/png' : undefined;
}

function partFor(entry: unknown): { readonly type: string | undefined; readonly bytes: Uint8Array } {
  if (typeof entry === 'string') return { type: undefined, bytes: new TextEncoder().encode(entry) };
  const { bytes } = entry as Partial<Given>;
  if (bytes instanceof Uint8Array) return { type: 'application/octet-stream', bytes };
  return { type: 'application/json', bytes: new TextEncoder().encode(JSON.stringify(entry)) };
}
