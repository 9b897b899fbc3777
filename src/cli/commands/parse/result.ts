import type { Handler } from '../../cli.ts';
import { targetOf } from '../../transfer/download.ts';
import { deliverText, formatOf } from './document.ts';

export const run: Handler = async (cli, input) => {
  const target = await targetOf(cli, input);
  const client = await cli.client();
  await deliverText(cli, await client.fileParser().result(cli.ctx, input.arg(0), formatOf(input)), target);
};
