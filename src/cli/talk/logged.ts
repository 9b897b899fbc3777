// Puts an exchange into the log once it has ended, in whatever way. An answer is stored before it is laid out, which may fail or be interrupted.
import { isModelsvcError } from 'modelsvc';
import type { Cli } from '../cli.ts';
import type { LogEntry } from '../log/entry.ts';
import type { ExchangeLog } from '../log/record.ts';
import { type Attachment, loggedFile } from './attachments.ts';
import type { Piece, TalkAnswer, TalkExchange } from './exchange.ts';
import type { AnswerOptions } from './question.ts';

/** The question of an exchange, and its place. */
export interface LoggedQuestion extends Pick<LogEntry, 'command' | 'conversation'> {
  readonly options: Pick<AnswerOptions, 'model' | 'system'>;
  readonly prompt: string;
  readonly attachments: readonly Attachment[];
}

/**
 * Reads an exchange with `read` and logs it. A complete answer is logged and kept before `read` gets its end. A question that the service refused is
 * not logged.
 */
export async function logged<T>(
  cli: Cli,
  log: ExchangeLog,
  asked: LoggedQuestion,
  exchange: TalkExchange,
  read: (exchange: TalkExchange) => Promise<T>,
  keep?: (answer: TalkAnswer) => Promise<void>,
): Promise<T> {
  const { options, prompt, attachments, ...place } = asked;
  const started = performance.now();
  const add = (
    facts: Partial<Pick<LogEntry, 'model' | 'stopped' | 'finish' | 'usage'>>,
    answer: Pick<LogEntry['text'], 'answer' | 'reasoning' | 'calls'>,
  ): Promise<void> =>
    log.add({
      ...place,
      model: options.model,
      ms: Math.round(performance.now() - started),
      ...facts,
      text: { system: options.system, prompt, files: attachments.length > 0 ? attachments.map(loggedFile) : undefined, ...answer },
    });
  let isStored = false;
  const store = async (): Promise<void> => {
    if (isStored || !exchange.isComplete()) return;
    isStored = true;
    const answer = exchange.answer();
    const { text, reasoning, calls, usage, model = options.model, problem } = answer;
    await add(
      { model, usage, finish: problem?.reason },
      { answer: text, reasoning: reasoning === '' ? undefined : reasoning, calls: calls.length > 0 ? calls : undefined },
    );
    if (log.isOn) cli.run.freeWay = 'The answer is in the log: `modelsvc logs show`.';
    await keep?.(answer);
  };
  async function* pieces(): AsyncGenerator<Piece> {
    for await (const piece of exchange.pieces) {
      await store();
      yield piece;
    }
    await store();
  }
  try {
    return await read({ ...exchange, pieces: pieces() });
  } catch (error) {
    if (!isStored && (exchange.text().trim() !== '' || isStop(cli, error))) {
      await add({ stopped: true }, { answer: exchange.text() });
      if (log.isOn) cli.run.freeWay = 'The part of the answer that had arrived is in the log: `modelsvc logs show`.';
    }
    throw error;
  }
}

/** True if the service may have worked on the question: not after its refusal, and not if the question never left. */
export function isStop(cli: Cli, error: unknown): boolean {
  return !cli.isDryRun && (cli.signal.aborted || (isModelsvcError(error) && error.billed !== 'no'));
}
