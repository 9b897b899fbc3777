// `jobs`: the kind of a job from its id, and the commands of that kind.
import { isApiError } from 'modelsvc';
import type { Cli, Handler } from '../../cli.ts';
import { CliError, exitCodes, usageError } from '../../errors/exit.ts';
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
  const batch: KindOfJob = { wait: batches.wait, result: batches.get };
  const unsaved = (kind: KindOfJob): KindOfJob => {
    if (input.text('out') === undefined) return kind;
    if (kind === batch) throw usageError('-O saves no batch', `Run \`modelsvc batches results ${id} -O FILE\`.`);
    throw usageError('-O saves no run of an agent', 'Redirect stdout.');
  };
  if (input.args.length > 1) return unsaved(agents);
  if (/^batch[_-]/.test(id)) return unsaved(batch);
  cli.interruptNote = resumeNote(cli, ['jobs', command, id]);
  const client = await cli.client();
  if (await isKnown(client.getAsyncResult(cli.ctx, id))) return { wait: jobs.waitAs('jobs', 'wait'), result: jobs.result };
  if (await isKnown(client.fileParser().result(cli.ctx, id, 'text'))) return documents;
  if (await isKnown(client.batch().retrieve(cli.ctx, id))) return unsaved(batch);
  throw new CliError(
    `no job, document or batch has the id ${cli.output.clean(id)}`,
    exitCodes.notFound,
    'Use the account and the region that started it. For a run of an agent, pass the id of the agent first.',
  );
}

/** False if a group of the service does not have the id of a poll. Other failures are left to the command, which prints how to resume. */
function isKnown(poll: Promise<unknown>): Promise<boolean> {
  return poll.then(
    () => true,
    (error: unknown) => {
      if (!isApiError(error)) return true;
      // A document that failed is an error inside a reply with status 200.
      const isRefused = error.status !== 200 && (error.status === 404 || error.category === 'parameter');
      return error.code !== '1233' && !isRefused;
    },
  );
}
