import type { Handler } from '../../cli.ts';
import { usageError } from '../../errors/exit.ts';
import { saveText, targetOf } from '../../transfer/download.ts';
import { fileBytes } from '../../transfer/upload.ts';
import { slowContext } from '../../transfer/waiting.ts';
import { saveResult } from '../jobs/deliver.ts';

export const run: Handler = async (cli, input) => {
  const target = await targetOf(cli, input);
  const place = input.arg(0);
  const pages = pagesOf(input.text('pages'));
  const file = /^https?:\/\//i.test(place) ? place : (await fileBytes(place, 50)).toString('base64');
  const client = await cli.client();
  const reply = await client.layout().parse(slowContext(cli), { model: input.text('model') ?? 'glm-ocr', file, ...pages });
  const text = reply.md_results ?? '';
  if (target) await saveResult(cli, reply, target, async () => [await saveText(cli, text, 'layout.md', target)]);
  else await cli.output.result(reply, () => cli.output.clean(text));
};

function pagesOf(text: string | undefined): { start_page_id?: number; end_page_id?: number } {
  if (text === undefined) return {};
  const [, from, to = from] = /^(\d{1,6})(?:-(\d{1,6}))?$/.exec(text) ?? [];
  const [start, end] = [Number(from), Number(to)];
  if (!(start >= 1 && end >= start)) throw usageError(`--pages must be a page or a range such as 2-5, not ${JSON.stringify(text)}`);
  return { start_page_id: start, end_page_id: end };
}
