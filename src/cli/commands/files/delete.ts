import type { Handler } from '../../cli.ts';
import { each } from '../../reports/each.ts';

export const run: Handler = async (cli, input) => {
  const ids = input.args;
  const client = await cli.client();
  await cli.confirm(ids.length === 1 ? `Delete the file ${ids[0]}?` : `Delete ${ids.length} files?`);
  const { done, code } = await each(cli, ids, async (id) => {
    const reply = await client.files().delete(cli.ctx, id);
    if (cli.output.isText) await cli.output.result(reply, () => `deleted ${cli.output.clean(id)}`);
    return reply;
  });
  if (!cli.output.isText) await cli.output.list(done, []);
  return code;
};
