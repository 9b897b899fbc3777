// `logs continue`: an exchange of the log becomes the last conversation.
import type { Handler } from '../../cli.ts';
import { CliError, exitCodes, usageError } from '../../errors/exit.ts';
import type { LogEntry } from '../../log/entry.ts';
import { LogReader } from '../../log/reader.ts';
import { logFolder } from '../../log/record.ts';
import { ConversationStore } from '../../talk/conversations.ts';
import { type SurfaceName, surfaceNames, type WireMessage } from '../../talk/question.ts';
import { surfaces } from '../../talk/surfaces/index.ts';
import { noteLeftOut } from './filter.ts';

export const run: Handler = async (cli, input) => {
  const [id] = input.args;
  const reader = new LogReader(logFolder(cli.screen.io.env));
  const entry = firstOf(reader.entries({ id }, 'newest first'), id === undefined);
  noteLeftOut(cli.screen, reader);
  if (!entry)
    throw new CliError(
      id === undefined ? 'the log has no conversation' : `there is no exchange ${id}`,
      exitCodes.notFound,
      'Run `modelsvc logs list`.',
    );
  const surface = surfaceNames.find((name) => name === entry.command);
  if (!surface)
    throw usageError(`an exchange of ${entry.command} is not a conversation`, 'Its answers are in the file that `modelsvc logs show` names.');
  const { model, conversation, text } = entry;
  const all = conversation === undefined ? [entry] : [...new LogReader(logFolder(cli.screen.io.env)).entries({ conversation }, 'oldest first')];
  const until = all.slice(0, all.findIndex((one) => one.id === entry.id) + 1);
  const messages = until.flatMap((one) => turnOf(surface, one));
  await new ConversationStore(cli.screen.io.env).save({ id: conversation, surface, model, system: text.system, messages }, undefined, []);
  await cli.screen.result(
    { surface, model, messages: messages.length },
    () => 'It is the last conversation now; continue it with `modelsvc chat -c`.',
  );
};

/** The first exchange. Without an id, runs of `map` are passed over. */
function firstOf(entries: Iterable<LogEntry>, passesOver: boolean): LogEntry | undefined {
  for (const entry of entries) if (!passesOver || surfaceNames.some((name) => name === entry.command)) return entry;
  return undefined;
}

function turnOf(surface: SurfaceName, { text: { prompt, answer } }: LogEntry): WireMessage[] {
  const asked = surfaces[surface].userMessage(prompt, []);
  return answer === '' ? [asked] : [asked, { ...asked, role: 'assistant', content: answer }];
}
