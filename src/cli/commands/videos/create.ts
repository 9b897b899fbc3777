import type { VideoRequest } from 'modelsvc/types';
import type { Handler } from '../../cli.ts';
import { idIn } from '../../terminal/reply.ts';
import { targetOf } from '../../transfer/download.ts';
import { fileLink, pictures, promptText } from '../../transfer/upload.ts';
import { deliverJob } from '../jobs/jobs.ts';

export const run: Handler = async (cli, input) => {
  const target = await targetOf(cli, input);
  const images = await Promise.all(input.list('image').map((value) => fileLink(value, pictures)));
  const request: VideoRequest = {
    model: 'cogvideox-3',
    // An image needs no prompt, so stdin is read only on request.
    prompt: images.length > 0 && input.args.length === 0 ? undefined : await promptText(cli.screen, 'PROMPT', input.args),
    image_url: images.length > 1 ? images : images[0],
    ...input.fields,
  };
  const client = await cli.make.client();
  const task = await client.videos().generate(cli.ctx, request);
  if (!target && !input.flag('wait')) return cli.screen.result(task, () => cli.screen.clean(idIn(task.id)));
  const id = idIn(task.id);
  cli.screen.note(`job ${id}`);
  return deliverJob(cli, input, { id, target, opens: input.flag('open') });
};
