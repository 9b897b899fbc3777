// A recorded request as a curl command for a POSIX shell.
import { basename } from 'node:path';
import { quoted } from '../terminal/shell-words.ts';
import { type DryRequest, type FilePart, maskedCredential } from './request.ts';

/** Maximum bytes of a body in an argument, which Linux limits to 128 KiB. A longer body goes to stdin. */
const maxArgument = 100_000;

/** The command. It reads the key from `SVC_API_KEY`. Paths of uploaded files are from `words`, the command line, because the request has only names. */
export function curlCommand({ method, url, headers, body, form }: DryRequest, words: readonly string[]): string {
  const lines = [['curl', ...(method === 'GET' ? [] : ['-X', method]), '--globoff', quoted(url)].join(' ')];
  if (headers['accept']?.startsWith('text/event-stream')) lines.push('--no-buffer');
  for (const [name, value] of Object.entries(headers)) {
    if (value === maskedCredential) lines.push(`-H "${name}: Bearer $SVC_API_KEY"`);
    // curl writes the content type of a form, which contains its boundary.
    else if (!(form && name === 'content-type')) lines.push(`-H ${quoted(`${name}: ${value}`)}`);
  }
  for (const part of form ?? []) lines.push('value' in part ? `--form-string ${quoted(`${part.name}=${part.value}`)}` : fileArgument(part, words));
  const isLong = body !== undefined && Buffer.byteLength(body) > maxArgument;
  if (body !== undefined) lines.push(isLong ? "--data-binary @- <<'SVC_BODY'" : `--data-raw ${quoted(body)}`);
  const command = lines.join(' \\\n  ');
  return isLong ? `${command}\n${body}\nSVC_BODY` : command;
}

function fileArgument({ name, filename, type }: FilePart, words: readonly string[]): string {
  const path = words.map((word) => word.replace(/^--[\w-]+=/, '')).find((word) => basename(word) === filename) ?? filename;
  return `-F ${quoted(`${name}=@"${path.replace(/[\\"]/g, '\\$&')}";type=${type}`)}`;
}
