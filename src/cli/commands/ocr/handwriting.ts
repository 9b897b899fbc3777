import type { Handler } from '../../cli.ts';
import { saveText, targetOf } from '../../transfer/download.ts';
import { sourceOf, uploading } from '../../transfer/upload.ts';
import { slowContext } from '../../transfer/waiting.ts';
import { saveResult } from '../jobs/deliver.ts';

export const run: Handler = async (cli, input) => {
  const target = await targetOf(cli, input);
  const source = await sourceOf(cli, input.arg(0), () => 'image.jpg');
  const client = await cli.client();
  const reply = await uploading(cli, source.filename, (onProgress) =>
    client.layout().handwritingOCR(slowContext(cli), { ...source, tool_type: 'hand_write', language_type: input.text('language'), onProgress }),
  );
  const text = (reply.words_result ?? []).map(({ words }) => `${words ?? ''}\n`).join('');
  if (target) await saveResult(cli, reply, target, async () => [await saveText(cli, text, 'handwriting.txt', target)]);
  else await cli.output.result(reply, () => cli.output.clean(text));
};
