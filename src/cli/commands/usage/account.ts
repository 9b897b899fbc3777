import { stringify } from 'yaml';
import type { Handler } from '../../cli.ts';

export const run: Handler = async (cli) => {
  const client = await cli.client();
  const info = await client.account().info(cli.ctx);
  await cli.output.result(info, () => cli.output.clean(stringify(info)));
};
