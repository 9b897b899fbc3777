// The input of `batches run`: one request a line.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type BatchRequest, type Client, isValidationError } from 'modelsvc';
import type { BulkRow } from '../../bulk/slices.ts';
import type { Cli } from '../../cli.ts';
import { type CliError, usageError } from '../../errors/exit.ts';
import { linesOf } from '../../files/lines.ts';
import { checkFile } from '../../transfer/upload.ts';
import { IdSet } from './id-set.ts';

export interface RequestSource {
  /** The requests from the first on. A line that is not a request is a usage error that names the line. Blank lines are skipped. */
  rows(client: Client): AsyncIterable<BulkRow>;
  /** False for stdin and pipes. */
  readonly isRepeatable: boolean;
}

export async function sourceOf(cli: Cli, path: string): Promise<RequestSource> {
  if (path === '-') {
    if (!cli.hasStdin) throw usageError('there are no requests on stdin', 'Pass FILE, or lines through a pipe.');
    return { rows: (client) => rowsOf(client, cli.stdin(), 'stdin'), isRepeatable: false };
  }
  const isRepeatable = (await checkFile(path)) !== undefined;
  return { rows: (client) => rowsOf(client, createReadStream(path), path), isRepeatable };
}

async function* rowsOf(client: Client, source: AsyncIterable<Uint8Array>, place: string): AsyncGenerator<BulkRow, void, undefined> {
  const ids = new IdSet();
  let number = 0;
  let count = 0;
  for await (const { text } of linesOf(source, { place, strict: true })) {
    const index = number++;
    if (text.trim() === '') continue;
    const where = `${place}, line ${number}`;
    const { custom_id: given, body } = requestIn(text, where);
    const id = given ?? `request-${count}`;
    if (given !== undefined && !ids.add(given)) throw wrong(where, 'has the "custom_id" of an earlier line');
    count++;
    yield { index, id, hash: hashOf(text), isAnswered: false, model: body.model, line: () => lineOf(client, { custom_id: id, body }, where) };
  }
  if (count === 0) throw usageError(`${place} contains no requests`);
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
