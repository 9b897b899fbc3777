import type { Handler } from '../../cli.ts';
import { CliError, exitCodes, usageError } from '../../errors/exit.ts';
import { reportOf } from '../../reports/report.ts';
import { messageText } from '../../talk/continuation.ts';
import { type Conversation, ConversationStore } from '../../talk/conversations.ts';
import type { Column } from '../../terminal/output.ts';
import type { Screen } from '../../terminal/screen.ts';
import { clockText } from '../../terminal/time-text.ts';
import { beginning } from '../../terminal/width.ts';

interface ConversationView {
  /** Null for the last one, if it has none. */
  readonly name: string | null;
  readonly id: string | null;
  readonly last: boolean;
  readonly command: string;
  readonly model: string;
  readonly messages: number;
  readonly stopped: boolean;
  readonly stored_at: string | null;
}

export const list: Handler = async (cli) => {
  const store = new ConversationStore(cli.screen.io.env);
  const last = (await store.storedAt(undefined)) && (await readable(cli.screen, store, undefined));
  const views: ConversationView[] = last && last.name === undefined ? [viewOf(last, true, await store.storedAt(undefined))] : [];
  for (const name of await store.names()) {
    const conversation = await readable(cli.screen, store, name);
    if (conversation) views.push(viewOf({ ...conversation, name }, last?.name === name, await store.storedAt(name)));
  }
  if (views.length === 0) cli.screen.note('No conversations. `modelsvc chat --save NAME PROMPT` stores one.');
  if (views.length > 0 || !cli.screen.isText) await cli.screen.list(views, columns);
};

/** A conversation that cannot be read is a warning, which has its path. */
async function readable(screen: Screen, store: ConversationStore, name: string | undefined): Promise<Conversation | undefined> {
  return store.load(name).catch(async (error: unknown) => {
    if (!(error instanceof CliError)) throw error;
    screen.warn((await reportOf(error)).message);
    return undefined;
  });
}

function viewOf({ name, id, surface, model, messages, stopped }: Conversation, isLast: boolean, storedAt: Date | undefined): ConversationView {
  return {
    name: name ?? null,
    id: id ?? null,
    last: isLast,
    command: surface,
    model,
    messages: messages.length,
    stopped: stopped === true,
    stored_at: storedAt?.toISOString() ?? null,
  };
}

const columns: readonly Column<ConversationView>[] = [
  { title: '', text: ({ last }) => (last ? '*' : '') },
  { title: 'NAME', text: ({ name }) => name },
  { title: 'COMMAND', text: ({ command }) => command },
  { title: 'MODEL', text: ({ model }) => model },
  { title: 'MESSAGES', text: ({ messages }) => messages },
  { title: 'STORED', text: ({ stored_at: at }) => at && clockText(new Date(at)) },
  { title: 'STATE', text: ({ stopped }) => (stopped ? 'stopped' : '') },
];

export const show: Handler = async (cli, input) => {
  const conversation = await new ConversationStore(cli.screen.io.env).load(input.args[0]);
  await cli.screen.result(conversation, () => cli.screen.clean(conversationText(conversation)));
};

const longestJson = 400;

function conversationText({ system, messages, stopped }: Conversation): string {
  const parts = messages.flatMap((message) => {
    const { role, type } = message;
    // An image may be part of a message without text.
    return [`[${role ?? String(type)}]`, messageText(message) || beginning(JSON.stringify(message), longestJson), ''];
  });
  return [...(system === undefined ? [] : ['[system]', system, '']), ...parts, ...(stopped ? ['(stopped)'] : [])].join('\n').trimEnd();
}

export const rename: Handler = async (cli, input) => {
  const [from, to] = [input.arg(0), input.arg(1)];
  await new ConversationStore(cli.screen.io.env).rename(from, to);
  await cli.screen.result({ name: to, renamed_from: from }, () => `Renamed conversation ${from} to ${to}.`);
};

export const remove: Handler = async (cli, input) => {
  const { args: names } = input;
  if (names.length > 0 === input.flag('last')) throw usageError('pass either names or --last');
  const store = new ConversationStore(cli.screen.io.env);
  const chosen = names.length > 0 ? names : [undefined];
  for (const name of chosen)
    if ((await store.storedAt(name)) === undefined)
      throw new CliError(
        name === undefined ? 'there is no last conversation' : `there is no conversation named ${name}`,
        exitCodes.notFound,
        'Run `modelsvc conversations list`.',
      );
  await cli.screen.confirm(names.length > 0 ? `Remove ${names.join(', ')}?` : 'Remove the last conversation?');
  for (const name of chosen) await store.remove(name);
  await cli.screen.result({ removed: chosen.length }, () => `Removed ${names.length > 0 ? names.join(', ') : 'the last conversation'}.`);
};
