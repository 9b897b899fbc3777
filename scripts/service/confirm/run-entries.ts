// Sends the requests of a run, one after the other, through the recorder. Each answer is in the file before the next request is sent.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { businessCode, failureIn } from '../../../src/overlay/errors/failure.ts';
import { type Client, isApiError } from '../../../src/overlay/index.ts';
import { type RecordedExchange, readExchanges, recordExchanges } from '../../../src/testing/index.ts';
import { jsonOf } from '../judge/reply.ts';
import type { Entry } from './entries.ts';
import { type RunFile, writeRun } from './file.ts';

/** Longest wait for one reply. A host that does not answer ends the entry, not the run. */
export const timeoutMs = 60_000;
/** So many entries in a row without an answer end the run: the next ones would fare no better. */
const mostSilent = 3;

export interface RunOptions {
  readonly client: Client;
  readonly apiKey: string;
  readonly path: string;
  readonly file: RunFile;
  readonly note: (text: string) => void;
  readonly signal: AbortSignal;
}

export interface Outcome {
  readonly file: RunFile;
  /** Why an entry has no answer. */
  readonly silent: ReadonlyMap<string, string>;
}

/** Sends the entries. Those that a limit or the network ended can be sent again in a later run with the same file. */
export async function runEntries(entries: readonly Entry[], { client, apiKey, path, note, signal, ...start }: RunOptions): Promise<Outcome> {
  let { file } = start;
  const silent = new Map<string, string>();
  let inRow = 0;
  for (const [index, entry] of entries.entries()) {
    if (signal.aborted || inRow === mostSilent) {
      silent.set(entry.name, signal.aborted ? 'interrupted' : 'the entries before it had no answer');
      continue;
    }
    note(`${index + 1} of ${entries.length}: ${entry.name}`);
    const { exchanges, error } = await recorded(entry, client, apiKey, signal);
    const why = whySilent(exchanges, error);
    if (why !== undefined) {
      silent.set(entry.name, why);
      inRow += 1;
      continue;
    }
    inRow = 0;
    file = { ...file, answered: { ...file.answered, [entry.name]: answerOf(entry, exchanges) }, exchanges: [...file.exchanges, ...exchanges] };
    writeRun(path, file);
  }
  return { file, silent };
}

async function recorded(
  entry: Entry,
  client: Client,
  apiKey: string,
  signal: AbortSignal,
): Promise<{ exchanges: readonly RecordedExchange[]; error: unknown }> {
  const folder = mkdtempSync(join(tmpdir(), 'confirm-'));
  const path = join(folder, 'exchanges.json');
  try {
    const cassette = recordExchanges({ file: path, mode: 'record', redact: { profile: 'bundle', secrets: apiKey.length >= 8 ? [apiKey] : [] } });
    const limited = client.with({
      httpClient: (url, init) => cassette(url, { ...init, signal: init.signal ? AbortSignal.any([init.signal, signal]) : signal }),
      maxRetries: 0,
      timeout: timeoutMs,
    });
    const error = await entry.run(limited).then(
      () => undefined,
      (one: unknown) => one,
    );
    await cassette.save();
    return { exchanges: exchangesIn(path), error };
  } catch (error) {
    return { exchanges: [], error };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function exchangesIn(path: string): readonly RecordedExchange[] {
  try {
    return readExchanges(readFileSync(path, 'utf8')).exchanges;
  } catch {
    return [];
  }
}

/** Why another time may have another last reply. Not the message of an error, which may quote a reply. */
function whySilent(exchanges: readonly RecordedExchange[], error: unknown): string | undefined {
  const last = exchanges.at(-1);
  if (
    last === undefined ||
    (error !== undefined && !isApiError(error) && exchanges.some(({ response }) => response.end === 'cut' || response.end === 'reset'))
  )
    return error instanceof Error && error.name === 'TimeoutError' ? 'no reply in time' : 'no reply';
  const category = businessCode(failureOf(last) ?? '')?.category;
  if (category === 'rate' || last.response.status === 429) return category === undefined || category === 'rate' ? 'rate limit' : undefined;
  return last.response.status >= 500 && category === undefined ? `the service failed with status ${last.response.status}` : undefined;
}

function failureOf({ response }: RecordedExchange): string | undefined {
  return failureIn(jsonOf(response))?.code;
}

function answerOf({ refusal }: Entry, exchanges: readonly RecordedExchange[]): string {
  const failed = refusal === undefined ? exchanges.find((one) => one.response.status >= 400 || failureOf(one) !== undefined) : exchanges.at(-1);
  if (failed === undefined) return 'success';
  const code = failureOf(failed);
  return failed.response.status < 400 && code === undefined ? 'success' : `${failed.response.status} ${code ?? ''}`.trim();
}
