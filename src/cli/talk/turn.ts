// One turn of a conversation: ask, print, check, remember.
import type { Client, Context, ToolDecision } from 'modelsvc';
import type { Cli } from '../cli.ts';
import type { Conversation } from '../conversations/store.ts';
import type { Attachment } from './attachments.ts';
import type { McpServers } from './mcp.ts';
import { type PrintOptions, printAnswer } from './print.ts';
import type { Manner } from './question.ts';
import type { Answer, ModelCall, Surface } from './surface.ts';
import { usageLine } from './usage-line.ts';

export interface Turn {
  readonly surface: Surface;
  readonly manner: Manner;
  /** The conversation before this turn. */
  readonly before: Conversation | undefined;
  readonly text: string;
  readonly attachments: readonly Attachment[];
  readonly servers?: McpServers | undefined;
  readonly stream: boolean;
  readonly print: Omit<PrintOptions, 'waiting'>;
  readonly showsUsage: boolean;
}

/** Asks and prints. Returns the conversation with the answer. Throws for an answer that was blocked or failed; its text stays on stdout. */
export async function takeTurn(cli: Cli, client: Client, ctx: Context, turn: Turn): Promise<{ answer: Answer; conversation: Conversation }> {
  const { surface, manner, before, text, attachments, servers, stream, print, showsUsage } = turn;
  const messages = [...(before?.messages ?? []), surface.userMessage(text, attachments)];
  const waiting = cli.progress();
  const decide = async (calls: readonly ModelCall[]): Promise<ToolDecision[]> => {
    waiting.done();
    // Text of the round may have left its line open.
    await cli.output.endPieces();
    return servers?.decide(calls) ?? [];
  };
  const way = servers ? { stream, tools: servers.tools, decide } : { stream };
  const answer = await printAnswer(cli, surface.ask(client, ctx, { ...manner, messages }, way), { ...print, waiting });
  for (const { title, link } of answer.sources) cli.output.note(`source: ${[title, link].filter(Boolean).join(' ')}`);
  if (showsUsage) await noteUsage(cli, answer.model ?? manner.model, answer.usage);
  const { problem } = answer;
  const isCut = problem?.reason === 'length' || problem?.reason === 'max_tokens';
  if (problem && !isCut) throw problem;
  if (isCut) cli.output.warn('the answer was cut off at the token limit; raise --max-tokens');
  else if (manner.schema) await manner.schema.parse(answer.text);
  const conversation = { surface: surface.name, model: manner.model, system: manner.system, messages: answer.messages, name: before?.name };
  return { answer, conversation };
}

async function noteUsage(cli: Cli, model: string, usage: object | undefined): Promise<void> {
  const { region } = await cli.credential();
  // List prices hold for neither the plan nor the china host.
  const line = usageLine(model, usage, region === 'global' && cli.values.planEndpoint !== true);
  cli.io.stderr.write(`${line ?? 'the service sent no usage'}\n`);
}
