import type { Handler } from '../../cli.ts';
import { cellText } from '../../terminal/reply.ts';

export const run: Handler = async (cli, input) => {
  const client = await cli.make.client();
  const reply = await client.tools().webReader(cli.ctx, { url: input.arg(0), ...input.fields });
  const { title, content } = reply.reader_result;
  if (title) cli.screen.note(cellText(title));
  await cli.screen.result(reply, () => cli.screen.clean(content));
};
