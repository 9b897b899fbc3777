import type { ModerationResult } from 'modelsvc/types';
import type { Handler } from '../../cli.ts';
import { cellText } from '../../terminal/reply.ts';
import { oneText } from '../../transfer/texts.ts';

export const run: Handler = async (cli, input) => {
  const text = await oneText(cli.screen, input.args, 'TEXT');
  const client = await cli.make.client();
  const reply = await client.moderations().create(cli.ctx, { model: 'moderation', input: text, ...input.fields });
  await cli.screen.result(reply, () => cli.screen.clean(reply.result_list.map(verdictText).join('\n') || undefined));
};

function verdictText({ risk_level: level, risk_type: types }: ModerationResult): string {
  const names = [types ?? []].flat().map(cellText).join(', ');
  return cellText(level ?? 'unknown') + (names === '' ? '' : `: ${names}`);
}
