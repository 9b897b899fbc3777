import type { Client } from 'modelsvc';
import type { Cli, Handler } from '../../cli.ts';
import { CliError, exitCodes, usageError } from '../../errors/exit.ts';
import { save, targetOf } from '../../transfer/download.ts';
import { endCode, stateText } from './state-text.ts';

export const run: Handler = async (cli, input) => {
  const id = input.arg(0);
  const target = await targetOf(cli, input);
  if (!target) throw usageError('-O is missing', 'Pass a file name to -O, or - if stdout is redirected.');
  const client = await cli.make.client();
  const batch = await client.batch().retrieve(cli.ctx, id);
  const files = [batch.output_file_id, batch.error_file_id].filter((file) => typeof file === 'string' && file !== '') as string[];
  if (files.length === 0)
    throw new CliError(`the batch has no results: ${stateText(batch)}`, exitCodes.error, 'Wait for it with `modelsvc jobs wait ID`.');
  const path = await save(cli, contents(cli, client, files), `${id}.jsonl`, target);
  if (target.kind !== 'stdout') await cli.screen.result({ path, batch }, () => cli.screen.clean(path));
  return batch.error_file_id ? exitCodes.partial : endCode(batch);
};

/** The lines of all files. A file may lack the line feed at its end. */
async function* contents(cli: Cli, client: Client, files: readonly string[]): AsyncGenerator<Uint8Array, void, undefined> {
  const lineFeed = new Uint8Array([10]);
  for (const file of files) {
    let last: number | undefined;
    for await (const block of await client.files().content(cli.ctx, file)) {
      yield block;
      last = block.at(-1) ?? last;
    }
    if (last !== undefined && last !== 10) yield lineFeed;
  }
}
