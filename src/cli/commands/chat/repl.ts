// `chat repl`: questions and commands line by line, from a terminal or from a pipe.
import { isAbortError } from 'modelsvc';
import type { Cli, Handler } from '../../cli.ts';
import { exitCodes } from '../../errors/exit.ts';
import type { Input } from '../../input/input.ts';
import { reportOf, writeReport } from '../../reports/report.ts';
import { chatSurface } from '../../talk/chat-surface.ts';
import type { Conversation } from '../../talk/conversations.ts';
import { type McpServers, startMcpServers } from '../../talk/mcp.ts';
import { printOptions } from '../../talk/print.ts';
import { chosenModel, defaultModel, mannerOf } from '../../talk/question.ts';
import { conversationBefore, remember } from '../../talk/talk.ts';
import { takeTurn } from '../../talk/turn.ts';
import { BrokenPipe } from '../../terminal/io.ts';
import { ReplLines } from './repl-lines.ts';
import { ReplState } from './repl-state.ts';

export const run: Handler = async (cli, input) => {
  const before = await conversationBefore(cli, input, chatSurface);
  const given = await mannerOf(cli, input, chosenModel(cli, input) ?? before?.model ?? '', true);
  const client = await cli.client();
  const state = new ReplState(cli, { ...given, system: given.system ?? before?.system }, before, input.text('save'));
  const commands = input.list('mcp');
  using lines = new ReplLines(cli);
  await using servers: McpServers | undefined =
    commands.length > 0 ? await startMcpServers(cli, commands, (question) => lines.ask(question)) : undefined;
  let failedWith: number = exitCodes.ok;
  if (cli.isInteractive) cli.output.note('Ask, or type /help. Ctrl-D ends.');

  const store = async (conversation: Conversation): Promise<void> => {
    if (!input.flag('no-save')) await remember(cli, conversation, state.name);
  };
  const keep = async (conversation: Conversation): Promise<void> => {
    const hasAnswer = conversation.messages.at(-1)?.role !== 'user';
    if (hasAnswer) state.answered(conversation, undefined);
    // A question that was stopped at once was a slip, unless the program ends.
    if (hasAnswer || cli.signal.aborted) await store(conversation);
  };
  const answer = async (text: string): Promise<void> => {
    const { manner, attachments } = state;
    const turn = {
      surface: chatSurface,
      manner: { ...manner, model: manner.model || defaultModel(attachments) },
      before: state.conversation,
      text,
      attachments,
      servers,
      stream: !input.flag('no-stream'),
      print: printOptions(input),
      showsUsage: input.flag('usage'),
    };
    await lines.answering(async (signal) => {
      const { answer: given, conversation } = await takeTurn(cli, client, { signal }, turn, keep);
      state.answered(conversation, given.usage);
      await store(conversation);
    });
  };

  for await (const message of lines) {
    try {
      if (message.kind === 'command') {
        if ((await state.command(message.name, message.text)) === 'exit') break;
      } else if (message.text.trim() !== '') await answer(message.text);
    } catch (error) {
      if (error instanceof BrokenPipe || cli.signal.aborted) throw error;
      if (isAbortError(error)) cli.output.note('stopped');
      else {
        const exitCode = await showFailure(cli, error, input);
        failedWith ||= exitCode;
      }
    }
  }
  if (cli.isInteractive) return exitCodes.ok;
  return failedWith;
};

/** Shows an error and goes on. */
async function showFailure(cli: Cli, error: unknown, input: Input): Promise<number> {
  const report = await reportOf(error, input.originOf);
  writeReport(cli.io.stderr, report, false);
  return report.exitCode;
}
