// The input of `batches run`: one request a line.
import { readFile } from 'node:fs/promises';
import type { BatchRequest } from 'modelsvc';
import type { Cli } from '../../cli.ts';
import { type CliError, usageError } from '../../errors/exit.ts';
import { decoded } from '../../files/text.ts';
import { checkFile } from '../../transfer/upload.ts';

/** Above the 100 MB of a batch, because the library checks that limit for the lines that it sends, without white space. */
const maxBytes = 128 * 1024 * 1024;

export async function inputText(cli: Cli, path: string): Promise<string> {
  if (path === '-') return cli.stdinText();
  const size = await checkFile(path);
  if (size !== undefined && size > maxBytes) throw usageError(`${path} has ${size} bytes; the limit of a batch is 100 MB`, 'Split the file.');
  return decoded(path, await readFile(path));
}

/** The requests in the lines of a text. Blank lines are skipped. A line that is not a request is a usage error that names the line. */
export function requestsIn(text: string, place: string): BatchRequest[] {
  const requests = text.split('\n').flatMap((line, index) => (line.trim() === '' ? [] : [requestIn(line, `${place}, line ${index + 1}`)]));
  if (requests.length === 0) throw usageError(`${place} contains no requests`);
  return requests;
}

function requestIn(line: string, place: string): BatchRequest {
  const fields = parsed(line, place);
  const { custom_id: id, body, url } = fields;
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw wrong(place, 'has no object "body"');
  if (id !== undefined && typeof id !== 'string') throw wrong(place, 'has a "custom_id" that is not a string');
  if (url !== undefined && url !== '/v4/chat/completions') throw wrong(place, 'must have the "url" /v4/chat/completions');
  return { ...(id !== undefined && { custom_id: id }), body: body as BatchRequest['body'] };
}

function parsed(line: string, place: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw wrong(place, 'is not JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrong(place, 'is not an object');
  return value as Record<string, unknown>;
}

function wrong(place: string, problem: string): CliError {
  return usageError(`${place} ${problem}`, 'A line is {"custom_id": "1", "body": {"model": "glm-5.1", "messages": [...]}}.');
}
