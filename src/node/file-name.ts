// Names of files from links and media types. They are foreign text.

/** The last segment of a link's path as a file name. */
export function nameInLink(link: string): string | undefined {
  const segment = new URL(link).pathname.split('/').at(-1) ?? '';
  let text = segment;
  try {
    text = decodeURIComponent(segment);
  } catch {}
  return fileName(text);
}

/** A file name without characters that have a meaning for a file system. Undefined if no character is left. */
export function fileName(text: string): string | undefined {
  const name = text
    .replace(/[\p{Cc}\p{Cf}<>:"/\\|?*]/gu, '_')
    .replace(/^[.\s-]+/, '')
    .replace(/[.\s]+$/, '');
  return name === '' ? undefined : name.slice(-100);
}

/** `cat.png` for the first file, then `cat-2.png`. */
export function numbered(path: string, index: number): string {
  return index === 0 ? path : path.replace(/(\.[^./\\]*)?$/, (extension) => `-${index + 1}${extension}`);
}

const extensions: ReadonlyMap<string, string> = new Map([
  ['image/png', '.png'],
  ['image/jpeg', '.jpg'],
  ['image/webp', '.webp'],
  ['video/mp4', '.mp4'],
  ['audio/wav', '.wav'],
  ['audio/mpeg', '.mp3'],
  ['application/pdf', '.pdf'],
  ['application/zip', '.zip'],
]);

/** Adds the extension of a media type to a name without one. */
export function withExtension(name: string, type: string): string {
  return /\.\w+$/.test(name) ? name : `${name}${extensions.get(type.split(';', 1)[0]?.toLowerCase() ?? '') ?? ''}`;
}
