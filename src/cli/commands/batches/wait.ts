import type { Batch } from 'modelsvc';
import type { Handler } from '../../cli.ts';
import { waitFor } from '../../transfer/waiting.ts';
import { endCode, stateText } from './state-text.ts';

export const run: Handler = async (cli, input) => {
  const id = input.arg(0);
  const client = await cli.client();
  const batch = await waitFor<Batch>(cli, input, { resume: ['batches', 'wait', id], stateText }, (options) =>
    client.batch().wait(cli.ctx, id, options),
  );
  await cli.output.result(batch, () => cli.output.clean(stateText(batch)));
  return endCode(batch);
};
