// Results that an unscripted reply links to. The fake serves them itself, so that a picture or a video can be saved offline.

const root = '/media/';

/** The smallest files of each type: one pixel, and no frame, sample or page. */
const files: Readonly<Record<string, readonly [type: string, base64: string]>> = {
  png: ['image/png', 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='],
  mp4: ['video/mp4', 'AAAAGGZ0eXBpc29tAAACAGlzb21pc28y'],
  wav: ['audio/wav', 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA='],
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
