// The filter that the options of `logs` set.
import { CliError, exitCodes, usageError } from '../../errors/exit.ts';
import type { Input } from '../../input/input.ts';
import { momentOf } from '../../input/moment.ts';
import type { Filter, LogReader } from '../../log/reader.ts';
import { ConversationStore } from '../../talk/conversations.ts';
import type { Screen } from '../../terminal/screen.ts';

export async function filterOf(screen: Screen, input: Input): Promise<Filter> {
  const moment = (name: string, isEnd: boolean): Date | undefined => {
    const text = input.text(name);
    return text === undefined ? undefined : momentOf(`--${name}`, text, isEnd);
  };
  const [since, until] = [moment('since', false), moment('until', true)];
  if (since && until && since > until) throw usageError('the start of the range is after its end');
  return { since, until, model: input.text('model'), command: input.text('command'), conversation: await conversationId(screen, input) };
}

/** The id of the conversation that --conversation names; other texts count as an id. */
export async function conversationId(screen: Screen, input: Input): Promise<string | undefined> {
  const given = input.text('conversation');
  if (given === undefined) return undefined;
  const stored = await new ConversationStore(screen.io.env).load(given).catch((error: unknown) => {
    if (error instanceof CliError && error.exitCode !== exitCodes.error) return undefined;
    throw error;
  });
  return stored?.id ?? given;
}

/** Notes about lines that were left out. Call it at the end of reading. */
export function noteLeftOut(screen: Screen, reader: LogReader): void {
  const { newer, unreadable } = reader;
  if (newer > 0) screen.warn(`${newer} ${newer === 1 ? 'exchange was' : 'exchanges were'} logged by a newer modelsvc; update this one to read them`);
  if (unreadable > 0)
    screen.warn(
      `${unreadable} ${unreadable === 1 ? 'line' : 'lines'} of the log cannot be read and ${unreadable === 1 ? 'is' : 'are'} left out: ${reader.firstUnreadable()}`,
    );
}
