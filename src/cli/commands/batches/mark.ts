// A batch is known by its rows: their hash is in its metadata and in the name of its input file.
import { createHash } from 'node:crypto';
import type { Batch, BatchRequest, Client } from 'modelsvc';
import type { Cli } from '../../cli.ts';

const markName = 'modelsvc_rows';

export interface Mark {
  readonly rows: string;
  /** Name of the input file. */
  readonly input: string;
  readonly metadata: Readonly<Record<string, string>>;
}

/** The mark of requests. Blanks and line ends of their file do not count. */
export function markOf(requests: readonly BatchRequest[]): Mark {
  const hash = createHash('sha256');
  for (const request of requests) hash.update(`${JSON.stringify(request)}\n`);
  const rows = hash.digest('hex').slice(0, 32);
  return { rows, input: `requests-${rows}.jsonl`, metadata: { [markName]: rows } };
}

/**
 * The batches of the same rows, without those that failed as a whole: none of their requests ran. Both marks are read, because the service may
 * return a batch without its metadata, and deletes the input file at the end.
 */
export async function batchesOf(cli: Cli, client: Client, { rows, input }: Pick<Mark, 'rows' | 'input'>): Promise<readonly Batch[]> {
  const found: Batch[] = [];
  const unmarked: Batch[] = [];
  for await (const batch of client.batch().listAll(cli.ctx)) {
    if (batch.status === 'failed') continue;
    const mark = batch.metadata?.[markName];
    if (mark === rows) found.push(batch);
    else if (mark === undefined) unmarked.push(batch);
  }
  if (found.length > 0 || unmarked.length === 0) return found;
  const files = new Set<string>();
  for await (const { id, filename, fileName } of client.files().listAll(cli.ctx, { purpose: 'batch' }))
    if ((filename ?? fileName) === input) files.add(id);
  return unmarked.filter(({ input_file_id: file }) => file !== undefined && files.has(file));
}
