// The media type of bytes by their signature, and base64 text as a data URI.
import { Problem } from '../errors/problem.ts';
import { isLink } from './upload-limits.ts';

/** The beginning of a file, and what follows at byte 8 in those that several types begin with, as Latin-1 text. */
const signatures: readonly (readonly [type: string, start: string, atEight?: string])[] = [
  ['image/png', '\x89PNG\r\n\x1a\n'],
  ['image/jpeg', '\xff\xd8\xff'],
  ['image/gif', 'GIF87a'],
  ['image/gif', 'GIF89a'],
  ['image/webp', 'RIFF', 'WEBP'],
  ['application/pdf', '%PDF-'],
  ['audio/wav', 'RIFF', 'WAVE'],
  ['audio/mpeg', 'ID3'],
  ['audio/mpeg', '\xff\xfb'],
  ['audio/mpeg', '\xff\xfa'],
  ['audio/mpeg', '\xff\xf3'],
  ['audio/mpeg', '\xff\xf2'],
  ['audio/ogg', 'OggS'],
  ['audio/flac', 'fLaC'],
  ['video/webm', '\x1a\x45\xdf\xa3'],
];

/** The media type of bytes by the first 12 of them: images, PDF, sound and video. Undefined for other content, text for instance. */
export function mediaTypeOf(bytes: Uint8Array): string | undefined {
  const head = String.fromCharCode(...bytes.subarray(0, 12));
  if (head.startsWith('ftyp', 4)) return head.startsWith('M4A', 8) ? 'audio/mp4' : 'video/mp4';
  return signatures.find(([, start, atEight = '']) => head.startsWith(start) && head.startsWith(atEight, 8))?.[0];
}

/**
 * A link or a data URI as it is. Base64 text becomes a data URI, because the service refuses it without its media type. Other text is refused, and
 * sent as it is to other hosts.
 */
export function asDataURI(path: string, text: string, isVendor: boolean): string {
  if (isLink(text) || /^data:/i.test(text)) return text;
  const data = text.replace(/\s+/g, '');
  const type = mediaTypeOf(firstBytes(data));
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
