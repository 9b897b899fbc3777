import type { Handler } from '../../cli.ts';
import { stateText } from './state-text.ts';

export const run: Handler = async (cli, input) => {
  const client = await cli.client();
  const batch = await client.batch().cancel(cli.ctx, input.arg(0));
  await cli.output.result(batch, () => cli.output.clean(stateText(batch)));
};
