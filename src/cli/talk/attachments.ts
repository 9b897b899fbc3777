// Files of a prompt: text becomes a fenced block, images and URLs become parts.
import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { fileProblem } from '../../store/error.ts';
import { CliError, usageError } from '../errors/exit.ts';
import { wholeFile } from '../files/blocks.ts';
import { decoded, isUtf16, maxTextBytes } from '../files/text.ts';
import type { LoggedFile } from '../log/entry.ts';
import type { Screen } from '../terminal/screen.ts';
import type { linkKinds } from './options.ts';

export type Attachment =
  | { readonly kind: 'text'; readonly name: string; readonly text: string }
  /** `url` is a URL or a `data:` URI. */
  | { readonly kind: 'image' | 'video' | 'document'; readonly name: string; readonly url: string };

const videoNames: ReadonlySet<string> = new Set(['.mp4', '.mkv', '.mov']);
const documentNames: ReadonlySet<string> = new Set(['.pdf', '.doc', '.docx', '.xls', '.xlsx', '.ppt', '.pptx', '.txt', '.md', '.csv', '.jsonl']);

const imageNames: ReadonlySet<string> = new Set(['.png', '.jpg', '.jpeg', '.webp', '.gif', '.bmp']);

export type LinkKind = (typeof linkKinds)[number];

const linkNames: readonly (readonly [LinkKind, ReadonlySet<string>])[] = [
  ['image', imageNames],
  ['video', videoNames],
  ['document', documentNames],
];

/** A link to this machine. */
const hereOnly = /^https?:\/\/(localhost|[\w.-]*\.localhost|127\.[\d.]+|\[::1\])(?:[:/?#]|$)/i;

/** Reads the files of --file: paths, URLs, and `-` for stdin. `as` is the kind of the URLs. */
export function attachmentsOf(screen: Screen, files: readonly string[], as?: LinkKind): Promise<Attachment[]> {
  return Promise.all(files.map((file) => attachmentOf(screen, file, as)));
}

export async function attachmentOf(screen: Screen, file: string, as?: LinkKind): Promise<Attachment> {
  if (file === '') throw usageError('--file is empty', 'Pass a path, a URL, or - for stdin.');
  if (/^(https?|data):/i.test(file)) {
    const link = linked(file, as);
    if (hereOnly.test(file)) screen.note(`--file: the service cannot reach ${new URL(file).host}; pass the path of the file for its bytes`);
    return link;
  }
  if (file === '-') return fromBytes('stdin', await screen.stdinBytes());
  return fromBytes(file, await readBytes(file));
}

/** The kind of a URL by the name in its path. A name without a known ending probably names a page, which the service would read as a broken image. */
function linked(url: string, as: LinkKind | undefined): Attachment {
  const type = /^data:([^;,]+)/i.exec(url)?.[1];
  if (type !== undefined) return { kind: type.startsWith('video/') ? 'video' : 'image', name: type, url };
  if (!URL.canParse(url)) throw usageError(`--file: ${url} is not a URL`);
  const { pathname, host } = new URL(url);
  const ending = extname(pathname).toLowerCase();
  const kind = as ?? linkNames.find(([, names]) => names.has(ending))?.[0];
  if (kind === undefined)
    throw usageError(
      `--file: ${url} does not end like an image, a video or a document`,
      `For the text of a page, run \`modelsvc read URL | modelsvc chat …\`. For an image, add --as image.`,
    );
  return { kind, name: basename(pathname) || host, url };
}

async function readBytes(path: string): Promise<Buffer> {
  try {
    const facts = await stat(path);
    if (facts.isDirectory()) throw usageError(`--file: ${path} is a directory`, 'Pass the path of a file.');
    if (facts.size > maxTextBytes) throw usageError(`--file: ${path} has ${facts.size} bytes; the limit is ${maxTextBytes}`);
    return await wholeFile(path, facts);
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw usageError(`--file: ${fileProblem(path, error as NodeJS.ErrnoException)}`);
  }
}

async function fromBytes(path: string, bytes: Buffer): Promise<Attachment> {
  const { mediaTypeOf } = await import('modelsvc/node');
  const type = mediaTypeOf(bytes);
  const image = type?.startsWith('image/') ? type : undefined;
  if (image !== undefined) return { kind: 'image', name: basename(path), url: `data:${image};base64,${bytes.toString('base64')}` };
  const ending = extname(path).toLowerCase();
  // An archive may look like UTF-16, and a picture like a video.
  if (notRead.some((names) => names.has(ending)) && (type !== undefined || bytes.includes(0))) throw refusedKind(path, ending, type);
  if (videoNames.has(ending) || type?.startsWith('video/')) throw usageError(`--file: ${path} is a video, which the service takes only by URL`);
  if (type !== undefined || (bytes.includes(0) && !isUtf16(bytes))) throw refusedKind(path, ending, type);
  return { kind: 'text', name: basename(path), text: await decoded(`--file: ${path}`, bytes) };
}

const soundNames: ReadonlySet<string> = new Set(['.wav', '.mp3', '.m4a', '.flac', '.ogg', '.aac', '.opus', '.wma']);
const pictureNames: ReadonlySet<string> = new Set(['.heic', '.heif', '.bmp', '.tif', '.tiff', '.avif', '.ico', '.psd', '.svgz']);
const packedNames: ReadonlySet<string> = new Set(['.zip', '.gz', '.tgz', '.tar', '.bz2', '.xz', '.7z', '.rar', '.zst']);

const notRead: readonly ReadonlySet<string>[] = [soundNames, pictureNames, packedNames];

/** The error for bytes that a question cannot have, with the way that their kind has. */
function refusedKind(path: string, ending: string, type: string | undefined): CliError {
  const refused = (kind: string, next: string): CliError => usageError(`--file: ${path} is ${kind}`, next);
  if (soundNames.has(ending) || type?.startsWith('audio/')) return refused('a sound', `For its words, run \`modelsvc audio transcribe ${path}\`.`);
  if (pictureNames.has(ending)) return refused('a picture in a form that the service does not read', 'Convert it to PNG or JPEG.');
  if (packedNames.has(ending)) return refused('an archive', 'Unpack it, and pass its files.');
  if (documentNames.has(ending)) return refused('a document, which the service takes only by URL', 'For its text, run `modelsvc parse sync` first.');
  return refused('binary', 'Pass a text, a picture as PNG or JPEG, or the URL of a document.');
}

/** A prompt with its text files after it, each in a fence that its text does not contain. */
export function withTexts(prompt: string, attachments: readonly Attachment[]): string {
  const blocks = attachments.flatMap((one) => (one.kind === 'text' ? [fenced(one.name, one.text)] : []));
  return [prompt, ...blocks].filter((text) => text !== '').join('\n\n');
}

function fenced(name: string, text: string): string {
  let longest = 2;
  for (const [run] of text.matchAll(/```+/g)) longest = Math.max(longest, run.length);
  const fence = '`'.repeat(longest + 1);
  return `${name}:\n${fence}${extname(name).slice(1)}\n${text}${text.endsWith('\n') ? '' : '\n'}${fence}`;
}

/** A file as the log has it: a URL may contain a signature, and a content may be large. */
export function loggedFile(one: Attachment): LoggedFile {
  const data = one.kind === 'text' ? Buffer.from(one.text) : dataOf(one.url);
  const sha256 = createHash('sha256')
    .update(data ?? (one.kind === 'text' ? '' : one.url))
    .digest('hex');
  return { kind: one.kind, name: one.name, bytes: data?.length, sha256 };
}

/** The content of a `data:` URI; undefined for a URL. */
function dataOf(url: string): Buffer | undefined {
  const [, isBase64, data] = /^data:[^,]*?(;base64)?,(.*)$/is.exec(url) ?? [];
  return data === undefined ? undefined : Buffer.from(data, isBase64 === undefined ? 'utf8' : 'base64');
}
