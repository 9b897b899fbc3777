// Names that a link or a caller chooses, on a real disk: its limit counts bytes.
import { randomBytes } from 'node:crypto';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fileName, numbered, partName, withExtension } from '../../src/node/file-name.ts';
import { download } from '../../src/node/index.ts';
import { openFake } from '../support/fake.ts';
import { newFolder, storageHost } from '../support/storage.ts';

const bytesOf = (text: string): number => Buffer.byteLength(text);
const foreignText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 400 }),
  fc.stringMatching(/^[.\s-]*[猫😀é.a-]{60,300}\.png$/u),
  fc.string({ unit: fc.constantFrom('猫', '😀', '\ud83d', '.', ' ', '-', 'a'), maxLength: 300 }),
);

describe('a name from foreign text', () => {
  it('fits every file system with what is added to it, and does not begin with a dot, a blank or a dash', async () => {
    const folder = await newFolder();
    await fc.assert(
      fc.asyncProperty(foreignText, async (text) => {
        const name = fileName(text);
        if (name === undefined) return;
        expect(name).toMatch(/^[^.\s-]/u);
        expect(name).not.toMatch(/[.\s]$/u);
        expect(encodeURIComponent.bind(undefined, name)).not.toThrow();
        const full = numbered(withExtension(name, 'image/png'), 99);
        expect(bytesOf(full)).toBeLessThanOrEqual(143);
        expect(bytesOf(partName(full))).toBeLessThanOrEqual(143);
        await writeFile(join(folder, full), '');
        expect(await readdir(folder)).toContain(full);
      }),
    );
  });

  it('keeps the extension when it is cut, and ordinary names as they are', () => {
    expect(fileName('猫.png')).toBe('猫.png');
    expect(fileName(`${'猫'.repeat(80)}.png`)).toBe(`${'猫'.repeat(38)}.png`);
    expect(fileName(`x${'.'.repeat(116)}a.png`)).toBe('a.png');
  });
});

it.each(['猫'.repeat(80), '😀'.repeat(60), `${'a'.repeat(90)}${'é'.repeat(90)}`, 'a'.repeat(246)])(
  'a paid result is saved in a folder and at a path, whatever name its link has (%#)',
  async (stem) => {
    const { client, fake } = await openFake();
    const storage = await storageHost();
    const bytes = randomBytes(10);
    const url = storage.host('/a/result.png', { body: bytes }).replace('result.png', `${encodeURIComponent(stem)}.png`);
    storage.host(`/a/${encodeURIComponent(stem)}.png`, { body: bytes });
    fake.answer('images.generate', { body: { data: [{ url }, { url }] } });
    const image = await client.images().generate(undefined, { model: 'glm-image', prompt: 'a cat' });
    const saved = await download(image, await newFolder());
    expect(saved.map((file) => file.bytes)).toEqual([10, 10]);
    // The longest name of the file system, chosen by the caller.
    const own = join(await newFolder(), `${'名'.repeat(83)}.png`);
    expect(await download({ url }, own, { client })).toEqual([expect.objectContaining({ path: own, bytes: 10 })]);
  },
);
