import { type AsyncResult, type ChatResponse, contentText, finishError } from 'modelsvc';
import type { Handler } from '../../cli.ts';
import { CliError, exitCodes } from '../../errors/exit.ts';
import { resumeNote } from '../../transfer/waiting.ts';

export const run: Handler = async (cli, input) => {
  const id = input.arg(0);
  const client = await cli.client();
  if (input.flag('wait')) cli.interruptNote = `The job goes on. ${resumeNote(cli, ['chat', 'result', id, '--wait'])}`;
  const progress = cli.progress();
  progress.show(`waiting for ${id}`);
  let result: AsyncResult;
  try {
    result = await (input.flag('wait') ? client.waitForResult(cli.ctx, id) : client.getAsyncResult(cli.ctx, id));
  } finally {
    progress.done();
  }
  const { task_status: status, choices } = result;
  const content = choices?.[0]?.message?.content;
  await cli.output.result(result, () => cli.output.clean(choices ? contentText(content) : (status ?? 'unknown')));
  if (status === 'FAIL') throw new CliError(`job ${id} failed`, exitCodes.error, 'Submit it again.');
  const problem = choices && finishError(result as unknown as ChatResponse);
  if (problem?.category === 'content') throw problem;
};
