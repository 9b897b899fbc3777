// Names of files from links and media types. They are foreign text.
import { randomBytes } from 'node:crypto';

/** The last segment of a link's path as a file name. */
export function nameInLink(link: string): string | undefined {
  const segment = new URL(link).pathname.split('/').at(-1) ?? '';
  let text = segment;
  try {
    text = decodeURIComponent(segment);
  } catch {}
  return fileName(text);
}

/** File systems count bytes: most allow 255, encrypted folders 143. A number and the ending of an unfinished file are added to a name. */
const maxNameBytes = 120;

/** A file name without characters that have a meaning for a file system. Undefined if no character is left. */
export function fileName(text: string): string | undefined {
  // Trimmed after the cut, which can bring a dot to the front.
  const name = lastBytes(text.replace(/[\p{Cc}\p{Cf}<>:"/\\|?*]/gu, '_'))
    .replace(/^[.\s-]+/, '')
    .replace(/[.\s]+$/, '');
  return name === '' ? undefined : name;
}

/** The end of a name, because it has the extension. A character is never cut. */
function lastBytes(text: string): string {
  const bytes = Buffer.from(text);
  let start = Math.max(0, bytes.length - maxNameBytes);
  while (((bytes[start] ?? 0) & 0xc0) === 0x80) start++;
  return bytes.toString('utf8', start);
}

/** A name for the unfinished file next to a target. It does not exceed the limit of a file system that allows the target's own name. */
export function partName(target: string): string {
  return `${target.slice(0, 40)}.${randomBytes(4).toString('hex')}.part`;
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
