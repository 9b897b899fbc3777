// The quota for a prompt, which must not wait: from the service if it answers soon, or as it was last known.
import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import { type Client, isApiError } from 'modelsvc';
import type { QuotaLimits } from 'modelsvc/types';
import * as v from 'valibot';
import { type Form, KeptFile } from '../../../store/document.ts';
import { makeFolder } from '../../../store/folder.ts';
import { withLock } from '../../../store/lock.ts';
import { stateFolder } from '../../accounts/folder.ts';
import type { Cli } from '../../cli.ts';
import type { CredentialSource } from '../../hosts.ts';

/** The end of the patience of a prompt. With its start and its end, the program takes two seconds at most. */
export function soon(): AbortSignal {
  const controller = new AbortController();
  setTimeout(() => controller.abort(), 1400).unref();
  return controller.signal;
}

/** The result of work that a prompt waits for; undefined after `deadline`. Work that is then in progress ends with the program. */
export function inTime<T>(work: Promise<T>, deadline: AbortSignal): Promise<T | undefined> {
  return Promise.race([work, new Promise<undefined>((resolve) => deadline.addEventListener('abort', () => resolve(undefined)))]);
}

const oldestMs = 60 * 60 * 1000;

/** A quota, and when the service said so. */
export interface KnownQuota {
  readonly quota: QuotaLimits;
  readonly at: Date;
}

interface LastQuotas {
  readonly quotas: Readonly<Record<string, { readonly at: string; readonly quota: QuotaLimits }>>;
}

const form: Form<LastQuotas> = {
  version: 1,
  shape: v.object({
    quotas: v.record(
      v.string(),
      v.object({ at: v.string(), quota: v.custom<QuotaLimits>((value) => v.is(v.looseObject({ limits: v.array(v.any()) }), value)) }),
    ),
  }),
  isPrivate: true,
  cure: 'Remove the file.',
};

/** Undefined if the service does not answer before `deadline`, or fails in a way that may pass, and the last hour has no value. */
export async function latestQuota(cli: Cli, client: Client, credential: CredentialSource, deadline: AbortSignal): Promise<KnownQuota | undefined> {
  const signal = eitherOf(cli.signal, deadline);
  const file = new KeptFile(join(stateFolder(cli.screen.io.env), 'quota.json'), form);
  const name = nameOf(credential);
  try {
    const quota = await client.with({ maxRetries: 0 }).quota().getLimit({ signal });
    const now = new Date();
    // A prompt goes on without its file.
    await kept(file, signal, (last) => ({ quotas: { ...recent(last, now), [name]: { at: now.toISOString(), quota } } })).catch(() => undefined);
    return { quota, at: now };
  } catch (error) {
    if (cli.signal.aborted || (isApiError(error) && !error.retryable)) throw error;
    const last = recent(await file.draft().catch(() => undefined), new Date())[name];
    return last && { quota: last.quota, at: new Date(last.at) };
  }
}

/** Not `AbortSignal.any`: Node 20 may collect such a signal before it aborts. */
function eitherOf(...signals: readonly AbortSignal[]): AbortSignal {
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  for (const signal of signals) {
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  }
  return controller.signal;
}

async function kept(file: KeptFile<LastQuotas>, signal: AbortSignal, edit: (last: LastQuotas | undefined) => LastQuotas): Promise<void> {
  makeFolder(dirname(file.path));
  await withLock(`${file.path}.lock`, signal, async (check) => file.write(edit(await file.usable()), check));
}

/** The quotas of the last hour. */
function recent(last: LastQuotas | undefined, now: Date): LastQuotas['quotas'] {
  return Object.fromEntries(Object.entries(last?.quotas ?? {}).filter(([, { at }]) => Math.abs(now.getTime() - Date.parse(at)) <= oldestMs));
}

/** The key in a form that the file may have, with its place and team. */
function nameOf({ apiKey, baseUrl, region, team }: CredentialSource): string {
  return createHash('sha256')
    .update(JSON.stringify([apiKey, baseUrl, region, team]))
    .digest('hex')
    .slice(0, 16);
}
