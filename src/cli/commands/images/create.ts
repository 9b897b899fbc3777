import type { ImageRequest } from 'modelsvc/types';
import type { Handler } from '../../cli.ts';
import { usageError } from '../../errors/exit.ts';
import { idIn } from '../../terminal/reply.ts';
import { targetOf } from '../../transfer/download.ts';
import { promptText } from '../../transfer/upload.ts';
import { slowContext } from '../../transfer/waiting.ts';
import { deliver } from '../jobs/deliver.ts';
import { deliverJob } from '../jobs/jobs.ts';

export const run: Handler = async (cli, input) => {
  const target = await targetOf(cli, input);
  const isJob = input.flag('async') || input.flag('wait');
  if (target && isJob && !input.flag('wait')) throw usageError('-O needs the result: add --wait, or leave out --async');
  const request: ImageRequest = {
    model: 'glm-image',
    prompt: await promptText(cli.screen, 'PROMPT', input.args),
    ...input.fields,
  };
  const client = await cli.make.client();
  if (!isJob) {
    const image = await client.images().generate(slowContext(cli), request);
    return deliver(cli, { image_result: image.data, ...(image.id !== undefined && { id: image.id }) }, { target, opens: input.flag('open') }, image);
  }
  const task = await client.images().generateAsync(cli.ctx, request);
  if (!input.flag('wait')) return cli.screen.result(task, () => cli.screen.clean(idIn(task.id)));
  const id = idIn(task.id);
  cli.screen.note(`job ${id}`);
  return deliverJob(cli, input, { id, target, opens: input.flag('open') });
};
