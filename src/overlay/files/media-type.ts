// The media type of an image or a PDF by its first bytes, and base64 text as a data URI.
import { Problem } from '../json/problem.ts';
import { isLink } from './upload-limits.ts';

/** The media type of an image or a PDF by its first 12 bytes. Undefined for other content. */
export function pageTypeOf(bytes: Uint8Array): string | undefined {
  const head = String.fromCharCode(...bytes.subarray(0, 12));
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (head.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (/^GIF8[79]a/.test(head)) return 'image/gif';
  if (head.startsWith('%PDF-')) return 'application/pdf';
  return head.startsWith('RIFF') && head.endsWith('WEBP') ? 'image/webp' : undefined;
}

/**
 * A link or a data URI as it is. Base64 text becomes a data URI, because the service refuses it without its media type. Other text is refused, and
 * sent as it is to other hosts.
 */
export function asDataURI(path: string, text: string, isVendor: boolean): string {
  if (isLink(text) || /^data:/i.test(text)) return text;
  const data = text.replace(/\s+/g, '');
  const type = pageTypeOf(firstBytes(data));
  if (type !== undefined) return `data:${type};base64,${data}`;
  if (!isVendor) return text;
  throw new Problem(path, 'must be a link or a data URI', undefined, 'write base64 as data:image/png;base64,… with the media type of your file');
}

function firstBytes(base64: string): Uint8Array {
  try {
    return Uint8Array.from(atob(base64.slice(0, 16)), (letter) => letter.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}
