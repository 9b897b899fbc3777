// One turn of a conversation: ask, remember, print, check.
import type { Client, Context, ToolDecision } from 'modelsvc';
import type { Cli } from '../cli.ts';
import { newId } from '../log/entry.ts';
import { ExchangeLog } from '../log/record.ts';
import { workingFolder } from '../settings/settings.ts';
import type { Screen } from '../terminal/screen.ts';
import type { Attachment } from './attachments.ts';
import { continued } from './continuation.ts';
import type { Conversation } from './conversations.ts';
import { endCode, isCut } from './ending.ts';
import type { ModelCall, TalkAnswer, TalkSurface } from './exchange.ts';
import { isStop, logged } from './logged.ts';
import type { McpServers } from './mcp.ts';
import { type PrintedAnswer, type PrintOptions, printAnswer } from './print.ts';
import type { AnswerOptions, WireMessage } from './question.ts';
import { listPrices, usageLine } from './usage-line.ts';

export interface TalkTurn {
  readonly surface: TalkSurface;
  readonly options: AnswerOptions;
  /** The conversation before this turn. */
  readonly before: Conversation | undefined;
  readonly text: string;
  readonly attachments: readonly Attachment[];
  /** The message, if it was sent before. Default: made of text and attachments. */
  readonly message?: WireMessage | undefined;
  readonly servers?: McpServers | undefined;
  readonly stream: boolean;
  readonly print: Omit<PrintOptions, 'waiting' | 'format' | 'stream'>;
  readonly showsUsage: boolean;
}

/** Stores a conversation: with a complete answer, or as far as it came. */
export type SaveConversation = (conversation: Conversation) => Promise<void>;

/**
 * Asks and prints. Throws for an answer that is blocked, stopped or failed; its text stays on stdout. `keep` gets the conversation once, before a complete
 * answer is laid out, unless the service refused the question or blocked the answer.
 */
export async function runTurn(
  cli: Cli,
  client: Client,
  ctx: Context,
  turn: TalkTurn,
  keep: SaveConversation,
): Promise<{ readonly answer: TalkAnswer; readonly code: number | undefined }> {
  const { surface, options, before, text, attachments, servers, stream, print, showsUsage } = turn;
  const messages = continued(before?.messages ?? [], turn.message ?? surface.userMessage(text, attachments));
  const waiting = cli.screen.progress();
  const decide = async (calls: readonly ModelCall[]): Promise<ToolDecision[]> => {
    waiting.done();
    // Text of the round may have left its line open.
    await cli.screen.endPieces();
    return servers?.decide(calls) ?? [];
  };
  const way = servers ? { stream, tools: servers.tools, decide } : { stream };
  const exchange = surface.send(client, ctx, { ...options, messages }, way);
  const log = await ExchangeLog.open(cli);
  const id = before?.id ?? newId();
  const conversation = { id, surface: surface.name, model: options.model, system: options.system, name: before?.name, folder: workingFolder() };
  const asked = { command: surface.name, conversation: id, options, prompt: text, attachments };
  const keepAnswer = async (answer: TalkAnswer): Promise<void> => {
    const { problem, messages: all } = answer;
    // The service would block the text again.
    if (problem?.category === 'content') return;
    await keep({ ...conversation, messages: all, ...(problem && !isCut(problem) && { stopped: true }) });
  };
  let printed: PrintedAnswer;
  try {
    const waitAndPrint = { ...print, format: options.format, stream, waiting };
    printed = await logged(cli, log, asked, exchange, (stored) => printAnswer(cli, stored, waitAndPrint, ctx), keepAnswer);
  } catch (error) {
    const soFar = exchange.soFar(error);
    if (!exchange.isComplete() && (soFar.length > messages.length || isStop(cli, error)))
      await keep({ ...conversation, messages: soFar, stopped: true });
    throw error;
  }
  const { answer, misfit } = printed;
  noteModel(cli.screen, answer);
  noteSearches(cli.screen, options, answer);
  if (showsUsage) await noteUsage(cli, answer.model ?? options.model, answer.usage);
  const code = endCode(cli.screen, answer.problem);
  if (misfit) throw misfit;
  return { answer, code };
}

/** The model of --fallback that answered, and why not the others. */
function noteModel(screen: Screen, { asked, refusals }: TalkAnswer): void {
  const others = [...refusals].filter(([model]) => model !== asked);
  if (others.length > 0) screen.note(`${asked} answered: ${others.map((words) => words.join(' ')).join(', ')}.`);
}

/** The sources of an answer, and a search that did not happen: the service names neither its absence nor its failure in the text. */
function noteSearches(screen: Screen, { searchEngine }: AnswerOptions, { searches: { ran, sources, errors } }: TalkAnswer): void {
  for (const { title, url } of sources) screen.note(`source: ${[title, url].filter(Boolean).join(' ')}`);
  for (const code of errors) screen.note(`A search failed: ${code}.`);
  if (searchEngine !== undefined && !ran) screen.note('The reply shows no search of the web.');
}

async function noteUsage(cli: Cli, model: string, usage: object | undefined): Promise<void> {
  const line = usageLine(model, usage, await listPrices(cli));
  cli.screen.io.stderr.write(`${line ?? 'the service sent no usage'}\n`);
}
