// A command that asks one question: `chat` and `messages`.
import type { Client } from 'modelsvc';
import type { Cli } from '../cli.ts';
import { exitCodes, usageError } from '../errors/exit.ts';
import type { Input } from '../input/input.ts';
import { momentText } from '../terminal/time-text.ts';
import { shortened } from '../terminal/width.ts';
import { attachmentsOf, type LinkKind } from './attachments.ts';
import { budgetOf } from './budget.ts';
import { messageText } from './continuation.ts';
import { type Conversation, ConversationStore, checkedName } from './conversations.ts';
import type { TalkSurface } from './exchange.ts';
import { type McpServers, startMcpServers } from './mcp.ts';
import { printOptions } from './print.ts';
import { promptText } from './prompt.ts';
import { type AnswerOptions, answerOptionsOf, chosenModel, modelFor } from './question.ts';
import { toolsOf } from './tools.ts';
import { runTurn, type SaveConversation } from './turn.ts';

/** A question that is ready to be sent. */
export interface PreparedQuestion {
  readonly client: Client;
  readonly options: AnswerOptions;
  readonly before: Conversation | undefined;
  readonly text: string;
  readonly attachments: Awaited<ReturnType<typeof attachmentsOf>>;
}

/** Reads the options and inputs of a question. Does not send it. */
export async function prepared(cli: Cli, input: Input, surface: TalkSurface): Promise<PreparedQuestion> {
  const before = await conversationBefore(cli, input, surface);
  const files = input.list('file');
  const attachments = await attachmentsOf(cli.screen, files, input.text('as') as LinkKind | undefined);
  // Stdin that an option reads is not part of the prompt.
  const stdinIsFile = files.includes('-') || input.readsStdin('system', 'schema');
  const text = await promptText(cli.screen, { lead: input.lead, words: input.args, stdinIsFile, hasAttachments: attachments.length > 0 });
  const given = await answerOptionsOf(cli, input, await modelFor(cli, attachments, chosenModel(cli, input), before?.model));
  const searches = input.flag('web-search');
  const tools = await toolsOf(input.list('tool'), input.isTyped('tool'));
  const client = await cli.make.client(budgetOf(input));
  const searchEngine = searches ? ((await cli.make.credential()).region === 'china' ? 'search_std' : 'search_pro_jina') : undefined;
  return { client, options: { ...given, system: given.system ?? before?.system, tools, searchEngine }, before, text, attachments };
}

/** The conversation that --continue and --conversation name, and the name of --save. */
export async function conversationBefore(cli: Cli, input: Input, surface: TalkSurface): Promise<Conversation | undefined> {
  const [name, save] = [input.text('conversation'), input.text('save')];
  if (save !== undefined) checkedName(save);
  if (save !== undefined && cli.isPrivate) throw usageError('--save and --no-log exclude each other');
  if (input.flag('continue') && name !== undefined) throw usageError('--continue and --conversation exclude each other');
  if (!input.flag('continue') && name === undefined) return undefined;
  const store = new ConversationStore(cli.screen.io.env);
  const before = await store.load(name);
  if (before.surface !== surface.name)
    throw usageError(`the conversation belongs to modelsvc ${before.surface}`, `Continue it with \`modelsvc ${before.surface}\`.`);
  if (name === undefined) cli.screen.note(continuedText(before, await store.storedAt(undefined)));
  if (before.stopped)
    cli.screen.note(
      before.messages.at(-1)?.role === 'assistant'
        ? 'The last answer was stopped; the model gets what had arrived of it.'
        : 'The last question has no answer; it is sent again with this one.',
    );
  return before;
}

/** The last conversation may be one of another window: its last question, time and folder. */
function continuedText({ messages, folder }: Conversation, storedAt: Date | undefined): string {
  const asked = messages.findLast((message) => message.role === 'user' && messageText(message) !== '');
  const question = asked ? JSON.stringify(shortened(messageText(asked), 60)) : 'a conversation';
  const now = new Date();
  const time = storedAt && (now.getTime() - storedAt.getTime() < 60_000 ? 'just now' : momentText(storedAt, now));
  return `Continues ${question} (${[time, folder && `in ${folder}`].filter(Boolean).join(', ')}).`;
}

/** Returns the exit code of an answer that was cut off, and of a conversation that could not be stored under the name of --save. */
export async function talk(cli: Cli, input: Input, surface: TalkSurface): Promise<number | undefined> {
  const { client, ...ready } = await prepared(cli, input, surface);
  const commands = input.list('mcp');
  if (commands.length > 0 && ready.options.tools.length > 0)
    throw usageError('--tool and --mcp exclude each other', '--tool declares tools that do not run.');
  await using servers: McpServers | undefined = commands.length > 0 ? await startMcpServers(cli, commands) : undefined;
  const name = input.text('save');
  let isStored = true;
  const keep: SaveConversation = async (conversation) => {
    if (input.flag('no-save') || cli.isPrivate) return;
    isStored = (await remember(cli, conversation, name, ready.before)) !== undefined;
    if (!conversation.stopped || !cli.screen.io.stderr.isTTY) return;
    await cli.screen.endPieces();
    cli.screen.note(`Stored as far as it came; \`modelsvc ${surface.name} -c\` continues it.`);
  };
  const turn = {
    ...ready,
    surface,
    servers,
    stream: !input.flag('no-stream'),
    print: printOptions(input),
    showsUsage: input.flag('usage'),
  };
  const { code } = await runTurn(cli, client, cli.ctx, turn, keep);
  return isStored || name === undefined ? code : exitCodes.error;
}

/**
 * Stores a conversation that continues `before`, unless `--no-log` is given. A failure is a warning, because the answer is printed all the same.
 * Returns undefined then.
 */
export async function remember(
  cli: Cli,
  conversation: Conversation,
  name: string | undefined,
  before: Conversation | undefined,
): Promise<Conversation | undefined> {
  if (cli.isPrivate) return conversation;
  try {
    const { apiKey } = await cli.make.credential();
    return await new ConversationStore(cli.screen.io.env).save({ ...conversation, name: name ?? conversation.name }, before, [apiKey]);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    await cli.screen.warnBetween(
      `the conversation could not be stored (${code ?? message})${name === undefined ? '; --no-save turns this off' : ''}`,
    );
    return undefined;
  }
}
