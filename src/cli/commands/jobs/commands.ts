import type { AsyncResult } from 'modelsvc';
import type { Cli, Handler } from '../../cli.ts';
import type { Input } from '../../input/input.ts';
import { type Destination, targetOf, targetWords } from '../../transfer/download.ts';
import { waitFor } from '../../transfer/waiting.ts';
import { deliver } from './deliver.ts';

export const result: Handler = async (cli, input) => {
  const client = await cli.client();
  return deliver(cli, await client.getAsyncResult(cli.ctx, input.arg(0)), undefined);
};

/** A command that waits for a chat, image or video job. `command` is its name, for the note on how to resume. */
export const waitAs =
  (...command: readonly string[]): Handler =>
  async (cli, input) =>
    deliverJob(cli, input, { id: input.arg(0), command, target: await targetOf(cli, input) });

interface Waited {
  readonly id: string;
  readonly command: readonly string[];
  readonly target: Destination | undefined;
}

/** Waits for a job, then prints or saves its result. */
export async function deliverJob(cli: Cli, input: Input, { id, command, target }: Waited): Promise<number | undefined> {
  const client = await cli.client();
  const job = { resume: [...command, id, ...targetWords(target)], stateText: ({ task_status: status }: AsyncResult) => status };
  return deliver(cli, await waitFor(cli, input, job, (options) => client.waitForResult(cli.ctx, id, options)), target);
}
