import type { Handler } from '../../cli.ts';
import { oneText } from '../../transfer/texts.ts';

export const run: Handler = async (cli, input) => {
  const content = await oneText(cli, input.args, 'TEXT');
  const client = await cli.client();
  const reply = await client.tools().tokenize(cli.ctx, { model: 'glm-4.6', messages: [{ role: 'user', content }], ...input.fields });
  await cli.output.result(reply, () => cli.output.clean(reply.usage.total_tokens ?? reply.usage.prompt_tokens));
};
