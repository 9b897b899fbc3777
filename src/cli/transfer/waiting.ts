// Waiting for jobs: the state on stderr, and the command that continues after Ctrl-C or a failure.
import { type Context, isApiError, isModelsvcError, type WaitOptions } from 'modelsvc';
import type { Cli } from '../cli.ts';
import type { Input } from '../input/input.ts';
import { quotedLine } from '../terminal/shell-words.ts';

/** A job, for the notes of a wait. */
export interface Job<T> {
  /** Words after the program's name that continue to wait. */
  readonly resume: readonly string[];
  /** State for people, for instance `PROCESSING`. */
  readonly stateText: (state: T) => string | undefined;
}

/** Waits with `--interval` and `--max-wait`. Ctrl-C ends the wait, not the job. */
export async function waitFor<T, Result = T>(
  cli: Cli,
  input: Input,
  job: Job<T>,
  wait: (options: WaitOptions<T>) => Promise<Result>,
): Promise<Result> {
  const note = resumeNote(cli, job.resume);
  cli.run.interruptNote = note;
  cli.run.freeWay = note;
  const started = performance.now();
  const progress = cli.screen.progress();
  let state = 'waiting';
  const show = (): void => progress.show(`${state}, ${Math.round((performance.now() - started) / 1000)} s`);
  const timer = setInterval(show, 1000);
  timer.unref();
  try {
    show();
    return await wait({
      interval: input.number('interval'),
      maxWait: input.number('max-wait'),
      onState: (last) => {
        state = job.stateText(last) ?? state;
        show();
      },
    });
  } catch (error) {
    progress.done();
    throw maySucceed(error) ? cli.run.keeping(error) : error;
  } finally {
    clearInterval(timer);
    progress.done();
  }
}

/** True for a failure of the wait, after which the job may still succeed. */
function maySucceed(error: unknown): error is Error {
  if (isModelsvcError(error, 'task')) return error.status === 'timeout';
  if (isApiError(error)) return error.retryable || error.status < 400;
  return isModelsvcError(error) && !isModelsvcError(error, 'validation') && !isModelsvcError(error, 'config') && !isModelsvcError(error, 'abort');
}

/** `Resume with: modelsvc jobs wait ID`, with the options that choose the account and the host. */
export function resumeNote({ values }: Cli, words: readonly string[]): string {
  const { account, apiKeyFile, region, baseUrl, serviceRules } = values;
  const chosen = Object.entries({
    '--account': account,
    '--api-key-file': apiKeyFile,
    '--region': region,
    '--base-url': baseUrl,
    '--service-rules': serviceRules,
  });
  const options = chosen.flatMap(([name, value]) => (value === undefined ? [] : [name, value]));
  return `Resume with: ${quotedLine(['modelsvc', ...words, ...options])}`;
}

const slowMs = 10 * 60 * 1000;

/** The context of a call that replies only when its work is done: a timeout of 10 minutes, unless `--timeout` is set. */
export function slowContext(cli: Cli): Context {
  return cli.values.timeout === undefined ? { ...cli.ctx, timeout: slowMs } : cli.ctx;
}
