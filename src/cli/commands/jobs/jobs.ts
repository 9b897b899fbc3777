import type { AsyncResult } from 'modelsvc';
import type { Cli, Handler } from '../../cli.ts';
import type { Input } from '../../input/input.ts';
import { targetOf, targetWords } from '../../transfer/download.ts';
import { waitFor } from '../../transfer/waiting.ts';
import { type Delivery, deliver } from './deliver.ts';

/** Prints or saves a job as it is now. `reply` is from a poll that was made already. */
export const resultOf =
  (reply?: AsyncResult): Handler =>
  async (cli, input) => {
    const target = await targetOf(cli, input);
    const client = await cli.make.client();
    return deliver(cli, reply ?? (await client.getAsyncResult(cli.ctx, input.arg(0))), { target });
  };

export const wait: Handler = async (cli, input) => deliverJob(cli, input, { id: input.arg(0), target: await targetOf(cli, input) });

interface Waited extends Delivery {
  readonly id: string;
}

/** Waits for a job, then prints or saves its result. */
export async function deliverJob(cli: Cli, input: Input, { id, target, opens = false }: Waited): Promise<number | undefined> {
  const client = await cli.make.client();
  const job = { resume: ['jobs', 'wait', id, ...targetWords(target)], stateText: ({ task_status: status }: AsyncResult) => status };
  return deliver(cli, await waitFor(cli, input, job, (options) => client.waitForResult(cli.ctx, id, options)), { target, opens });
}
