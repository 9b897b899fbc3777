import { stringify } from 'yaml';
import type { Handler } from '../../cli.ts';

export const run: Handler = async (cli, input) => {
  const client = await cli.client();
  const model = await client.models().get(cli.ctx, input.arg(0));
  await cli.output.result(model, () => cli.output.clean(stringify(model)));
};
