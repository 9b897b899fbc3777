import { validationError } from '../overlay/errors/problem.ts';
import { pageTypeOf } from '../overlay/files/media-type.ts';
import { Problem } from '../overlay/json/problem.ts';

/** The beginning of a file, and what follows at byte 8 in those that several types begin with, as Latin-1 text. */
const sounds: readonly (readonly [type: string, start: string, atEight?: string])[] = [
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
  if (!(bytes instanceof Uint8Array)) throw validationError('mediaTypeOf', new Problem('bytes', 'must be a Uint8Array'));
  const head = String.fromCharCode(...bytes.subarray(0, 12));
  if (head.startsWith('ftyp', 4)) return head.startsWith('M4A', 8) ? 'audio/mp4' : 'video/mp4';
  return pageTypeOf(bytes) ?? sounds.find(([, start, atEight = '']) => head.startsWith(start) && head.startsWith(atEight, 8))?.[0];
}
