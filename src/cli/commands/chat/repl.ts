// `chat repl`: questions and commands line by line, from a terminal or from a pipe.
import { isModelsvcError } from 'modelsvc';
import type { Cli, Handler } from '../../cli.ts';
import { exitCodes } from '../../errors/exit.ts';
import type { Input } from '../../input/input.ts';
import { printsOdd } from '../../reports/endings.ts';
import { reportOf, writeReport } from '../../reports/report.ts';
import { budgetOf } from '../../talk/budget.ts';
import { type McpServers, startMcpServers } from '../../talk/mcp.ts';
import { printOptions } from '../../talk/print.ts';
import { answerOptionsOf, chosenModel, modelFor } from '../../talk/question.ts';
import { chatSurface } from '../../talk/surfaces/chat.ts';
import { conversationBefore, remember } from '../../talk/talk.ts';
import { runTurn, type SaveConversation } from '../../talk/turn.ts';
import { BrokenPipe, checkStdin } from '../../terminal/io.ts';
import { runCommand } from './repl-commands.ts';
import { completerFor } from './repl-completion.ts';
import { ReplLines } from './repl-lines.ts';
import { type ReplQuestion, ReplState } from './repl-state.ts';
import { TypedHistory } from './typed-history.ts';

export const run: Handler = async (cli, input) => {
  checkStdin();
  const before = await conversationBefore(cli, input, chatSurface);
  const given = await answerOptionsOf(cli, input, chosenModel(cli, input) ?? '');
  const client = await cli.make.client(budgetOf(input));
  const state = new ReplState(cli, { ...given, system: given.system ?? before?.system }, before, input.text('save'));
  const commands = input.list('mcp');
  await using history = new TypedHistory(
    cli,
    cli.screen.isInteractive && !cli.isDryRun && !input.flag('no-save') && !cli.isPrivate && cli.setting('log') !== 'off',
  );
  const editing = { history: await history.texts(), complete: completerFor(cli.screen.io.env), onText: (text: string) => history.add(text) };
  using lines = new ReplLines(cli, editing);
  await using servers: McpServers | undefined =
    commands.length > 0 ? await startMcpServers(cli, commands, (question, always) => lines.ask(question, always)) : undefined;
  let failedWith: number = exitCodes.ok;
  if (cli.screen.isInteractive) cli.screen.note('Ask, or type /help. Ctrl-D ends.');

  const store = async (): Promise<void> => {
    const stored = state.conversation && !input.flag('no-save') ? await remember(cli, state.conversation, state.name, state.before) : undefined;
    if (stored) state.stored(stored);
  };
  const keep: SaveConversation = async (conversation) => {
    const hasAnswer = conversation.messages.at(-1)?.role !== 'user';
    // A question that was stopped at once was a slip, unless the program ends.
    if (!hasAnswer && !cli.signal.aborted) return;
    state.answered(conversation);
    await store();
  };
  const answer = async (question: ReplQuestion): Promise<void> => {
    const { options } = state;
    state.begin(question);
    const model = await modelFor(cli, question.attachments, options.model || undefined, state.kept);
    const turn = {
      ...question,
      surface: chatSurface,
      options: { ...options, model },
      servers,
      stream: !input.flag('no-stream'),
      print: printOptions(input),
      showsUsage: input.flag('usage'),
    };
    await lines.answering(async (signal) => {
      const { answer: given } = await runTurn(cli, client, { signal }, turn, keep);
      await state.count(given.model ?? model, given.usage);
    });
  };

  for await (const message of lines) {
    try {
      const isCommand = message.kind === 'command';
      const next = isCommand ? await runCommand({ cli, state, lines, store }, message.name, message.text) : state.question(message.text);
      if (next === 'exit') break;
      if (next && (isCommand || next.text.trim() !== '')) await answer(next);
    } catch (error) {
      if (error instanceof BrokenPipe || cli.signal.aborted) throw error;
      // Ctrl-C between two parts of an answer has no error of the library.
      if (isModelsvcError(error, 'abort') || (error as Error).name === 'AbortError') cli.screen.note('stopped');
      else {
        const exitCode = await showFailure(cli, error, input);
        failedWith ||= exitCode;
      }
    }
  }
  if (cli.screen.isInteractive) return exitCodes.ok;
  return failedWith;
};

/** Shows an error and goes on. */
async function showFailure(cli: Cli, error: unknown, input: Input): Promise<number> {
  if (await printsOdd(cli, error)) return exitCodes.error;
  const report = await reportOf(error, input.originOf);
  writeReport(cli.screen.io, report, { color: cli.values.color });
  return report.exitCode;
}
