import type { Config } from '../overlay/config.ts';
import { validated } from '../overlay/errors/problem.ts';
import { type FormField, type FormFile, MultipartBody } from '../overlay/files/multipart.ts';
import { Problem } from '../overlay/json/problem.ts';
import type { WireRequest } from '../overlay/transport/transport.ts';
import { recordedRequest } from './recorder.ts';

/** The Config of the client. `baseURL`, `region`, `endpoints`, `userAgent` and `disableToolSchemaCompat` change the command; keys are ignored. */
export type CurlOptions = Partial<Config>;

/**
 * The curl command for a request, as the client would send it: `toCurl('chat.create', request)`. No request is sent and no file is read.
 *
 * `operation` is a method: `chat.create`, `chat.stream`, `files.upload`. `request` is the argument after the context, or an object with the
 * ids of the path: `toCurl('files.delete', { file_id: 'file-1' })`. The `file` of an upload may be a path.
 *
 * The command is for a POSIX shell. It reads the key from the variable `SVC_API_KEY`; the prompt is a part of the command.
 *
 * Throws a ValidationError for an unknown operation or an invalid request, and a ConfigError for invalid options.
 */
export function toCurl(operation: string, request: object = {}, options: CurlOptions = {}): string {
  const wire = recordedRequest(operation, request, options);
  const { file } = request as { readonly file?: unknown };
  return validated(operation, () => commandOf(wire, typeof file === 'string' ? file : undefined));
}

/** Maximum characters of a body in the command. Linux accepts 128 KiB an argument, and a character has up to 3 bytes in UTF-8. */
const maxArgument = 40_000;

function commandOf({ url, method, headers, body }: WireRequest, path: string | undefined): string {
  const form = body instanceof MultipartBody ? body.parts : undefined;
  const lines = [['curl', ...(method === 'GET' ? [] : [`-X ${method}`]), ...urlWords(new URL(url).href)].join(' ')];
  if (headers['accept']?.startsWith('text/event-stream')) lines.push('--no-buffer');
  for (const [name, value] of Object.entries(headers)) {
    if (name === 'authorization') lines.push('-H "authorization: Bearer $SVC_API_KEY"');
    // curl writes the content type of a form, which contains its boundary.
    else if (!(form && name === 'content-type')) lines.push(`-H ${quoted(`${name}: ${value}`)}`);
  }
  if (form) lines.push(...form.map((part) => formArgument(part, path)));
  const isLong = typeof body === 'string' && body.length > maxArgument;
  if (typeof body === 'string') lines.push(isLong ? "--data @- <<'SVC_BODY'" : `--data-raw ${quoted(body)}`);
  const command = lines.join(' \\\n  ');
  // JSON text has no line break, and curl removes the one at its end.
  return isLong ? `${command}\n${body}\nSVC_BODY` : command;
}

/** The URL as transports parse it. Brackets and braces are patterns to curl. */
function urlWords(url: string): string[] {
  return /[[\]{}]/.test(url) ? ['--globoff', quoted(url)] : [quoted(url)];
}

/** A part as an argument. Only a text of its own type needs quotes: `--form-string` has no type. */
export function formArgument(part: FormField | FormFile, path: string | undefined): string {
  if (!('source' in part))
    return part.type === undefined
      ? `--form-string ${quoted(`${part.name}=${part.text}`)}`
      : `-F ${quoted(`${part.name}="${part.text.replace(/[\\"]/g, '\\$&')}";type=${part.type}`)}`;
  const from = path ?? part.filename;
  const name = part.filename === from.split('/').at(-1) ? '' : `;filename=${formWord(part.filename)}`;
  return `-F ${quoted(`${part.name}=@${formWord(from)};type=${part.type}${name}`)}`;
}

/** A name inside a form argument, where `;` and `,` are separators. */
function formWord(text: string): string {
  return /^[\w./ @%+=:~-]+$/.test(text) && text.trim() === text ? text : `"${text.replace(/[\\"]/g, '\\$&')}"`;
}

/** A text quoted as one word for a POSIX shell. */
function quoted(text: string): string {
  if (text.includes('\0')) throw new Problem('', 'has a NUL character, which a shell cannot pass');
  return `'${text.replaceAll("'", "'\\''")}'`;
}
