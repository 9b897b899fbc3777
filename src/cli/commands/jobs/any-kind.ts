// `jobs`: the kind of a job from its id, and the commands of that kind.
import { isApiError } from 'modelsvc';
import type { Cli, Handler } from '../../cli.ts';
import { CliError, exitCodes, usageError } from '../../errors/exit.ts';
import type { Input } from '../../input/input.ts';
import { resumeNote } from '../../transfer/waiting.ts';
import * as agents from '../agents/agents.ts';
import * as batches from '../batches/batches.ts';
import * as documents from '../parse/parse.ts';
import * as jobs from './jobs.ts';

interface KindOfJob {
  readonly wait: Handler;
  readonly result: Handler;
}

export const wait: Handler = async (cli, input) => (await kindOf(cli, input, 'wait')).wait(cli, input);

export const result: Handler = async (cli, input) => (await kindOf(cli, input, 'result')).result(cli, input);

async function kindOf(cli: Cli, input: Input, command: keyof KindOfJob): Promise<KindOfJob> {
  const id = input.arg(0);
  if (input.args.length > 1) return unsaved(input, agents, 'no run of an agent', 'Redirect stdout.');
  const batch = (): KindOfJob => unsaved(input, batches, 'no batch', `Run \`modelsvc batches results ${id} -O FILE\`.`);
  if (/^batch[_-]/.test(id)) return batch();
  cli.run.interruptNote = resumeNote(cli, ['jobs', command, id]);
  const client = await cli.make.client();
  const job = await found(client.getAsyncResult(cli.ctx, id));
  if (job) return { wait: jobs.wait, result: jobs.resultOf(job.reply) };
  if (await found(client.fileParser().result(cli.ctx, id, 'text'))) return documents;
  if (await found(client.batch().retrieve(cli.ctx, id))) return batch();
  throw new CliError(
    `no job, document or batch has the id ${cli.screen.clean(id)}`,
    exitCodes.notFound,
    'Use the account and the region that started it. For a run of an agent, pass the id of the agent first.',
  );
}

/** A kind whose results have no file. */
function unsaved(input: Input, kind: KindOfJob, saved: string, cure: string): KindOfJob {
  if (input.text('out') !== undefined) throw usageError(`-O saves ${saved}`, cure);
  return kind;
}

/** The reply to a poll. Undefined if a group of the service does not have its id. Other failures are left to the command, which prints how to resume. */
function found<T>(poll: Promise<T>): Promise<{ readonly reply?: T } | undefined> {
  return poll.then(
    (reply) => ({ reply }),
    (error: unknown) => {
      if (!isApiError(error)) return {};
      // A document that failed is an error inside a reply with status 200.
      const isRefused = error.status !== 200 && (error.status === 404 || error.category === 'parameter');
      return error.code === '1233' || isRefused ? undefined : {};
    },
  );
}
