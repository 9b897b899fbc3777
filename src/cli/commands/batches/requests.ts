// The input of `batches run`: one request a line.
import type { BatchRequest } from 'modelsvc';
import type { RowSource } from '../../bulk/source.ts';
import { type CliError, usageError } from '../../errors/exit.ts';
import { quotedLine } from '../../terminal/shell-words.ts';

/** The requests of one batch. A line that is not a request is a usage error that names the line. Blank lines are skipped. */
export async function requestsIn({ lines, place }: RowSource, most: number): Promise<readonly BatchRequest[]> {
  const requests: BatchRequest[] = [];
  let number = 0;
  for await (const { text } of lines()) {
    number++;
    if (text.trim() === '') continue;
    if (requests.length === most) throw tooMany(place, most);
    requests.push(requestIn(text, `${place}, line ${number}`));
  }
  if (requests.length === 0) throw wrong(place, number === 0 ? 'is empty' : 'contains no requests');
  return requests;
}

/** A run is one batch: the shell runs a command for each part of a longer file. */
function tooMany(place: string, most: number): CliError {
  const parts = `${quotedLine(['split', '-l', String(most), place === 'stdin' ? '-' : place, 'part-'])} && ls part-??`;
  return usageError(`${place} has more than ${most} requests`, `Run: ${parts} | xargs -I{} modelsvc batches run {} -O {}.results`);
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
