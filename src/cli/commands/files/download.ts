import type { Handler } from '../../cli.ts';
import { usageError } from '../../errors/exit.ts';
import { save, targetOf } from '../../transfer/download.ts';
import { fileName } from '../../transfer/fetch-link.ts';

export const run: Handler = async (cli, input) => {
  const id = input.arg(0);
  const target = await targetOf(cli, input);
  if (!target) throw usageError('-O is missing', 'Pass a file name to -O, or - if stdout is redirected.');
  const client = await cli.client();
  const reply = await client.files().content(cli.ctx, id);
  const path = await save(cli, { blocks: reply, name: fileName(id) ?? 'file', size: reply.size }, target);
  if (target.kind !== 'stdout') await cli.output.result({ path, content_type: reply.contentType }, () => cli.output.clean(path));
};
