import type { Handler } from '../../cli.ts';
import { CliError, exitCodes, usageError } from '../../errors/exit.ts';
import { momentOf } from '../../input/moment.ts';
import { factsOf } from '../../log/entry.ts';
import { LogReader } from '../../log/reader.ts';
import { logFolder } from '../../log/record.ts';
import { removeLines } from '../../log/segments.ts';
import { conversationId, noteLeftOut } from './filter.ts';

export const run: Handler = async (cli, input) => {
  const [ids, conversation, before, all] = [new Set(input.args), await conversationId(cli.screen, input), input.text('before'), input.flag('all')];
  if ([ids.size > 0, conversation !== undefined, before !== undefined, all].filter(Boolean).length !== 1)
    throw usageError('pass either ids, --conversation, --before or --all');
  const end = before === undefined ? undefined : momentOf('--before', before, false);
  const folder = logFolder(cli.screen.io.env);
  const reader = new LogReader(folder);
  const chosen = new Set<string>();
  for (const { id, time } of reader.entries({ conversation, until: end }, 'newest first'))
    if ((ids.size === 0 || ids.has(id)) && (end === undefined || new Date(time) < end)) chosen.add(id);
  const missing = [...ids].find((id) => !chosen.has(id));
  if (missing !== undefined) throw new CliError(`there is no exchange ${missing}`, exitCodes.notFound, 'Run `modelsvc logs list`.');
  if (!all) noteLeftOut(cli.screen, reader);
  const newer = all ? reader.newer : 0;
  const count = chosen.size + newer;
  if (count > 0) {
    await cli.screen.confirm(`Remove ${countText(count)} from the log?`);
    await removeLines(folder, cli.signal, (line) => all || chosen.has(factsOf(line)?.id ?? ''));
  }
  await cli.screen.result({ removed: count }, () => `Removed ${countText(count)}.`);
};

function countText(count: number): string {
  return `${count} ${count === 1 ? 'exchange' : 'exchanges'}`;
}
