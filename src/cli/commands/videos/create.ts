import type { VideoRequest } from 'modelsvc';
import type { Handler } from '../../cli.ts';
import { targetOf } from '../../transfer/download.ts';
import { imageLink, promptText } from '../../transfer/upload.ts';
import { awaitJob } from '../jobs/await-job.ts';
import { deliver } from '../jobs/deliver.ts';

export const run: Handler = async (cli, input) => {
  const target = await targetOf(cli, input);
  const images = await Promise.all(input.list('image').map(imageLink));
  const request: VideoRequest = {
    model: input.text('model') ?? 'cogvideox-3',
    // An image needs no prompt, so that stdin is read only on request.
    prompt: images.length > 0 && input.args.length === 0 ? undefined : await promptText(cli, 'PROMPT', input.args),
    image_url: images.length > 1 ? images : images[0],
    duration: input.number('duration'),
    fps: input.number('fps'),
    size: input.text('size'),
    quality: input.text('quality'),
    with_audio: input.flag('with-audio') || undefined,
  };
  const client = await cli.client();
  const task = await client.videos().generate(cli.ctx, request);
  if (!target && !input.flag('wait')) return cli.output.result(task, () => cli.output.clean(task.id));
  cli.output.note(`job ${task.id}`);
  return deliver(cli, await awaitJob(cli, input, { id: task.id, command: ['videos', 'wait'], target }), target);
};
