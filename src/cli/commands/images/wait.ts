import type { Handler } from '../../cli.ts';
import { targetOf } from '../../transfer/download.ts';
import { awaitJob } from '../jobs/await-job.ts';
import { deliver } from '../jobs/deliver.ts';

export const run: Handler = async (cli, input) => {
  const target = await targetOf(cli, input);
  return deliver(cli, await awaitJob(cli, input, { id: input.arg(0), command: ['images', 'wait'], target }), target);
};
