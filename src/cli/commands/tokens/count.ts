import type { Handler } from '../../cli.ts';
import { oneText } from '../../transfer/texts.ts';

export const run: Handler = async (cli, input) => {
  const content = await oneText(cli.screen, input.args, 'TEXT');
  const client = await cli.make.client();
  const reply = await client.tools().tokenize(cli.ctx, { model: 'glm-4.6', messages: [{ role: 'user', content }], ...input.fields });
  await cli.screen.result(reply, () => cli.screen.clean(reply.usage.total_tokens ?? reply.usage.prompt_tokens));
};
