// `jobs`: the kind of a job from its id, and the commands of that kind.
import { isApiError } from 'modelsvc';
import type { Cli, Handler } from '../../cli.ts';
import { usageError } from '../../errors/exit.ts';
import type { Input } from '../../input/input.ts';
import { resumeNote } from '../../transfer/waiting.ts';
import * as agents from '../agents/commands.ts';
import * as batches from '../batches/commands.ts';
import * as documents from '../parse/commands.ts';
import * as jobs from './commands.ts';

interface KindOfJob {
  readonly wait: Handler;
  readonly result: Handler;
}

export const wait: Handler = async (cli, input) => (await kindOf(cli, input, 'wait')).wait(cli, input);

export const result: Handler = async (cli, input) => (await kindOf(cli, input, 'result')).result(cli, input);

async function kindOf(cli: Cli, input: Input, command: keyof KindOfJob): Promise<KindOfJob> {
  const id = input.arg(0);
  const isRun = input.args.length > 1;
  const isBatch = id.startsWith('batch_');
  if ((isRun || isBatch) && input.text('out') !== undefined)
    throw usageError(
      `-O saves no ${isRun ? 'run of an agent' : 'batch'}`,
      isRun ? 'Redirect stdout.' : `Run \`modelsvc batches results ${id} -O FILE\`.`,
    );
  if (isRun) return agents;
  if (isBatch) return { wait: batches.wait, result: batches.get };
  cli.interruptNote = resumeNote(cli, ['jobs', command, id]);
  if (await isDocument(cli, id)) return documents;
  return { wait: jobs.waitAs('jobs', 'wait'), result: jobs.result };
}

/** True if the service has no chat, image or video job of this id. Other failures are left to the command. */
async function isDocument(cli: Cli, id: string): Promise<boolean> {
  const client = await cli.client();
  return client.getAsyncResult(cli.ctx, id).then(
    () => false,
    (error: unknown) => isApiError(error) && (error.code === '1233' || error.status === 404),
  );
}
