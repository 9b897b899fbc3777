// The input of `batches run`: one request a line.
import { createHash } from 'node:crypto';
import { type BatchRequest, type Client, isValidationError } from 'modelsvc';
import type { BulkRow } from '../../bulk/slices.ts';
import type { RowSource } from '../../bulk/source.ts';
import { type CliError, usageError } from '../../errors/exit.ts';
import { IdSet } from './id-set.ts';

/** The requests from the first on. A line that is not a request is a usage error that names the line. Blank lines are skipped. */
export async function* requestRows(client: Client, { lines, place }: RowSource): AsyncGenerator<BulkRow, void, undefined> {
  const ids = new IdSet();
  let number = 0;
  let count = 0;
  for await (const { text } of lines()) {
    const index = number++;
    if (text.trim() === '') continue;
    const where = `${place}, line ${number}`;
    const { custom_id: given, body } = requestIn(text, where);
    const id = given ?? `request-${count}`;
    if (given !== undefined && !ids.add(given)) throw wrong(where, 'has the "custom_id" of an earlier line');
    count++;
    yield { index, id, hash: hashOf(text), isAnswered: false, model: body.model, line: () => lineOf(client, { custom_id: id, body }, where) };
  }
  if (count === 0) throw usageError(number === 0 ? `${place} is empty` : `${place} contains no requests`);
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}

function lineOf(client: Client, request: BatchRequest, where: string): string {
  try {
    return client.batch().inputLine(request);
  } catch (error) {
    if (!isValidationError(error)) throw error;
    throw usageError(`${where}: ${error.path.replace(/^request\./, '')} ${error.problem}`, 'Fix the line and run the same command again.');
  }
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
