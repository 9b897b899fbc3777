import type { Handler } from '../../cli.ts';
import { deliver } from './deliver.ts';

export const run: Handler = async (cli, input) => {
  const client = await cli.client();
  return deliver(cli, await client.getAsyncResult(cli.ctx, input.arg(0)), undefined);
};
