// Results that an unscripted reply links to. The fake serves them itself, so that a picture or a video can be saved offline.

const root = '/media/';

/** Bytes of a WAV file before its samples. */
export const wavHeader = 44;

/** A tenth of a second of silence: 16 bits, one channel, 8000 samples a second. */
export function silence(): Uint8Array {
  const file = Buffer.alloc(wavHeader + 1600);
  file.write('RIFF\0\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x40\x1f\0\0\x80\x3e\0\0\x02\0\x10\0data', 'latin1');
  file.writeUInt32LE(file.length - 8, 4);
  file.writeUInt32LE(file.length - wavHeader, wavHeader - 4);
  return file;
}

/** The smallest files of each type: one pixel, a moment of silence, and no frame or page. */
const files: Readonly<Record<string, readonly [type: string, base64: string]>> = {
  png: ['image/png', 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='],
  mp4: ['video/mp4', 'AAAAGGZ0eXBpc29tAAACAGlzb21pc28y'],
  wav: ['audio/wav', Buffer.from(silence()).toString('base64')],
  pdf: ['application/pdf', 'JVBERi0xLjQKJSVFT0YK'],
  zip: ['application/zip', 'UEsFBgAAAAAAAAAAAAAAAAAAAAAAAA=='],
};

const links = new RegExp(`https://(?:\\w+\\.)?example\\.com/([\\w./-]+\\.(?:${Object.keys(files).join('|')}))`, 'g');

/** A reply of the spec's examples, as text, with its links to results below this origin. */
export function servedLinks(text: string, origin: string): string {
  return text.replaceAll(links, (_, path: string) => origin + root + path);
}

/** The file at a path that such a link has. */
export function mediaFile(path: string): { readonly body: Uint8Array; readonly headers: Readonly<Record<string, string>> } | undefined {
  const found = path.startsWith(root) ? files[/\.(\w+)$/.exec(path)?.[1] ?? ''] : undefined;
  return found && { body: Buffer.from(found[1], 'base64'), headers: { 'content-type': found[0] } };
}
