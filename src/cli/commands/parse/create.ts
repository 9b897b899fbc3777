import type { Handler } from '../../cli.ts';
import { targetOf } from '../../transfer/download.ts';
import { uploading } from '../../transfer/upload.ts';
import { slowContext } from '../../transfer/waiting.ts';
import { awaitText, deliverText, documentOf } from './document.ts';

export const run: Handler = async (cli, input) => {
  const target = await targetOf(cli, input);
  const { source, kind } = await documentOf(cli, input);
  const client = await cli.client();
  const job = await uploading(cli, source.filename, (onProgress) =>
    client.fileParser().create(slowContext(cli), { ...source, tool_type: input.text('tier') ?? 'lite', file_type: kind, onProgress }),
  );
  if (!target && !input.flag('wait')) return cli.output.result(job, () => cli.output.clean(job.task_id));
  cli.output.note(`job ${job.task_id}`);
  await deliverText(cli, await awaitText(cli, input, job.task_id, target), target);
};
