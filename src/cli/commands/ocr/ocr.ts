import type { Handler } from '../../cli.ts';
import { usageError } from '../../errors/exit.ts';
import { cellText, listIn } from '../../terminal/reply.ts';
import { saveText, targetOf } from '../../transfer/download.ts';
import { documents, fileLink, mediaOf, pictures, uploading } from '../../transfer/upload.ts';
import { slowContext } from '../../transfer/waiting.ts';
import { saveResult } from '../jobs/deliver.ts';

export const handwriting: Handler = async (cli, input) => {
  const target = await targetOf(cli, input);
  const source = await mediaOf(cli.screen, input.arg(0), pictures, 'image.jpg');
  const client = await cli.make.client();
  const reply = await uploading(cli.screen, source.filename, (onProgress) =>
    client.layout().handwritingOCR(slowContext(cli), { ...source, tool_type: 'hand_write', ...input.fields, onProgress }),
  );
  const text = listIn(reply.words_result)
    .map(({ words }) => `${cellText(words)}\n`)
    .join('');
  if (target) await saveResult(cli.screen, reply, target, async () => [await saveText(cli, text, 'handwriting.txt', target)]);
  else await cli.screen.result(reply, () => cli.screen.clean(text));
};

export const layout: Handler = async (cli, input) => {
  const target = await targetOf(cli, input);
  const pages = pagesOf(input.text('pages'));
  const file = await fileLink(input.arg(0), documents);
  const client = await cli.make.client();
  const reply = await client.layout().parse(slowContext(cli), { model: 'glm-ocr', file, ...input.fields, ...pages });
  const text = reply.md_results;
  if (target && typeof text === 'string') await saveResult(cli.screen, reply, target, async () => [await saveText(cli, text, 'layout.md', target)]);
  else await cli.screen.result(reply, () => cli.screen.clean(text));
};

function pagesOf(text: string | undefined): { start_page_id?: number; end_page_id?: number } {
  if (text === undefined) return {};
  const [, from, to = from] = /^(\d{1,6})(?:-(\d{1,6}))?$/.exec(text) ?? [];
  const [start, end] = [Number(from), Number(to)];
  if (!(start >= 1 && end >= start)) throw usageError(`--pages must be a page or a range such as 2-5, not ${JSON.stringify(text)}`);
  return { start_page_id: start, end_page_id: end };
}
