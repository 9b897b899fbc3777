// Puts an exchange into the log once it has ended, in whatever way.
import { isAbortError, isConnectionError, isStreamError } from 'modelsvc';
import type { Cli } from '../cli.ts';
import type { LogEntry } from '../log/entry.ts';
import type { ExchangeLog } from '../log/record.ts';
import { type Attachment, loggedFile } from './attachments.ts';
import type { Manner } from './question.ts';
import type { TalkAnswer, TalkExchange } from './surface.ts';

/** The question of an exchange, and its place. */
export interface LoggedQuestion extends Pick<LogEntry, 'command' | 'conversation' | 'row'> {
  readonly manner: Pick<Manner, 'model' | 'system'>;
  readonly prompt: string;
  readonly attachments: readonly Attachment[];
}

/** Reads an exchange with `read` and logs it. A question that the service refused is not logged. */
export async function logged(
  cli: Cli,
  log: ExchangeLog,
  asked: LoggedQuestion,
  exchange: TalkExchange,
  read: () => Promise<TalkAnswer>,
): Promise<TalkAnswer> {
  const { manner, prompt, attachments, ...place } = asked;
  const started = performance.now();
  const add = (
    facts: Partial<Pick<LogEntry, 'model' | 'stopped' | 'finish' | 'usage'>>,
    answer: Pick<LogEntry['text'], 'answer' | 'reasoning' | 'calls'>,
  ) =>
    log.add({
      ...place,
      model: manner.model,
      ms: Math.round(performance.now() - started),
      ...facts,
      text: { system: manner.system, prompt, files: attachments.length > 0 ? attachments.map(loggedFile) : undefined, ...answer },
    });
  let answer: TalkAnswer;
  try {
    answer = await read();
  } catch (error) {
    if (exchange.text().trim() !== '' || isStop(cli, error)) add({ stopped: true }, { answer: exchange.text() });
    throw error;
  }
  const { text, reasoning, calls, usage, model = manner.model, problem } = answer;
  add(
    { model, usage, finish: problem?.reason },
    { answer: text, reasoning: reasoning === '' ? undefined : reasoning, calls: calls.length > 0 ? calls : undefined },
  );
  return answer;
}

/** True if the service may have worked on the question. An ApiError is its refusal. */
export function isStop(cli: Cli, error: unknown): boolean {
  return !cli.isDryRun && (cli.signal.aborted || isAbortError(error) || isConnectionError(error) || isStreamError(error));
}
