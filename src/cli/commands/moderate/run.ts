import type { Handler } from '../../cli.ts';
import { oneText } from '../../transfer/texts.ts';

export const run: Handler = async (cli, input) => {
  const text = await oneText(cli, input.args, 'TEXT');
  const client = await cli.client();
  const reply = await client.moderations().create(cli.ctx, { model: 'moderation', input: text, ...input.fields });
  await cli.output.result(reply, () =>
    reply.result_list
      .map(({ risk_level: level = 'unknown', risk_type: types = [] }) => cli.output.clean(types.length > 0 ? `${level}: ${types.join(', ')}` : level))
      .join('\n'),
  );
};
