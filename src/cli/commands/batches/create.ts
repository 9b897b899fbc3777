import { existsSync } from 'node:fs';
import type { Cli, Handler } from '../../cli.ts';
import { usageError } from '../../errors/exit.ts';
import type { Input } from '../../input/input.ts';
import { idIn } from '../../terminal/reply.ts';
import { sourceOf, uploading } from '../../transfer/upload.ts';
import { slowContext } from '../../transfer/waiting.ts';

export const run: Handler = async (cli, input) => {
  const metadata = metadataOf(input);
  const fileId = await inputId(cli, input.arg(0));
  const client = await cli.client();
  const batch = await client.batch().create(cli.ctx, {
    input_file_id: fileId,
    endpoint: '/v4/chat/completions',
    // Older servers require it.
    completion_window: '24h',
    ...(metadata && { metadata }),
    ...(input.flag('keep-input') && { auto_delete_input_file: false }),
  });
  await cli.output.result(batch, () => cli.output.clean(idIn(batch.id)));
};

/** The id of a stored file. A file on the disk is uploaded. */
async function inputId(cli: Cli, place: string): Promise<string> {
  const isPath = place === '-' || existsSync(place) || /[\\/]|\.jsonl$/i.test(place);
  if (!isPath) return place;
  const source = await sourceOf(cli, place, 'stdin.jsonl');
  const client = await cli.client();
  const file = await uploading(cli, source.filename, (onProgress) =>
    client.files().upload(slowContext(cli), { ...source, purpose: 'batch', onProgress }),
  );
  const id = idIn(file.id);
  cli.output.note(`file ${id}`);
  return id;
}

function metadataOf(input: Input): Record<string, string> | undefined {
  const pairs = input.list('metadata').map((pair) => {
    const at = pair.indexOf('=');
    if (at < 1) throw usageError(`--metadata must be NAME=VALUE, not ${JSON.stringify(pair)}`);
    return [pair.slice(0, at), pair.slice(at + 1)] as const;
  });
  return pairs.length === 0 ? undefined : Object.fromEntries(pairs);
}
