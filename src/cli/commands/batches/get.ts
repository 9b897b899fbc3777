import { stringify } from 'yaml';
import type { Handler } from '../../cli.ts';

export const run: Handler = async (cli, input) => {
  const client = await cli.client();
  const batch = await client.batch().retrieve(cli.ctx, input.arg(0));
  const known = Object.fromEntries(Object.entries(batch).filter(([, value]) => value !== null && value !== ''));
  await cli.output.result(batch, () => cli.output.clean(stringify(known)));
};
