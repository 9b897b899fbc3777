// The library's client from the options of the command. The only file that decides to which host a key goes.
import { type Client, type Config, type Hook, isModelsvcError, type ModelsvcError, newClient, RegionChina, RegionGlobal, version } from 'modelsvc';
import { proxyChoice } from '../proxy/environment.ts';
import { brokenFile } from './accounts/own-models.ts';
import type { Cli } from './cli.ts';
import { usageError } from './errors/exit.ts';
import type { Factory } from './factory.ts';
import type { CredentialSource } from './hosts.ts';
import { checkBinding, checkedRoot, isLoopback, isPlanRoot, planRoots, platformRoots } from './hosts.ts';
import { problemOf } from './reports/option-words.ts';
import { unreadNext, unreadText } from './reports/proxy-words.ts';
import type { RunNotes } from './run-notes.ts';
import type { Screen } from './terminal/screen.ts';
import { waitText } from './terminal/time-text.ts';

export async function makeClient(cli: Cli): Promise<Client> {
  return clientFor(cli, await cli.make.credential());
}

/** Root of the chat surface for a key: `--base-url`, the root of the account, or of its region. Throws if a stored key is not bound to it. */
export function rootFor({ values }: Cli, credential: CredentialSource): { readonly root: string; readonly isWhole: boolean } {
  const { region, account, hosts, baseUrl: endpoint } = credential;
  if (endpoint !== undefined && values.planEndpoint === true) throw usageError('--base-url and --plan-endpoint exclude each other');
  if (endpoint !== undefined && isPlanRoot(endpoint))
    throw usageError(`${endpoint} is the coding-plan endpoint`, 'Use --plan-endpoint instead, after you have read its terms.');
  const root = endpoint ?? (values.planEndpoint === true ? planRoots : platformRoots)[region];
  if (account !== undefined) checkBinding(account, hosts ?? [], checkedRoot('--base-url', root).origin);
  return { root, isWhole: endpoint !== undefined };
}

export async function clientFor(cli: Cli, credential: CredentialSource): Promise<Client> {
  const { values } = cli;
  const { root, isWhole } = rootFor(cli, credential);
  connectDirectly(root, cli.screen.io.env);
  nameUnreadExceptions(cli, root);
  if (values.planEndpoint === true) await (await import('./accounts/plan-endpoint.ts')).acknowledgePlanEndpoint(cli);
  const { path, rows } = await cli.make.models();
  const rules = values.serviceRules ?? cli.setting('service-rules');
  const config: Config = {
    apiKey: credential.apiKey,
    region: credential.region === 'china' ? RegionChina : RegionGlobal,
    userAgent: `modelsvc-cli/${version}`,
    hooks: await hooksOf(cli),
    models: rows,
    team: credential.team,
    ...(isWhole ? { endpoints: root } : { baseURL: root, chinaAPIKey: () => chinaKey(cli.run, credential) }),
    ...(rules !== undefined && { serviceRules: rules === 'on' }),
    ...(values.timeout !== undefined && { timeout: values.timeout }),
    ...(values.retries !== undefined && { maxRetries: values.retries }),
    ...(values.retryFor !== undefined && !cli.isDryRun && { retryFor: values.retryFor }),
    ...(cli.isDryRun && (await import('./dry-run/dry-run.ts')).recordingConfig(cli)),
  };
  return checkedClient(config, path);
}

/** A client for the facts of the catalogue and of models.yaml. It has no key, and each request gets an empty list. */
export async function offlineClient(make: Factory): Promise<Client> {
  const { path, rows } = await make.models();
  return checkedClient({ apiKey: 'none', models: rows, httpClient: async () => Response.json({ object: 'list', data: [] }) }, path);
}

/** The capabilities of a model, by the catalogue and models.yaml; undefined if neither has it. */
export async function knownCapabilities(make: Factory, id: string): Promise<readonly string[] | undefined> {
  const client = await offlineClient(make);
  return (
    await client
      .models()
      .get({}, id)
      .catch(() => undefined)
  )?.capabilities;
}

/** The client, or the error of the row in models.yaml. */
function checkedClient(config: Config, path: string): Client {
  try {
    return newClient(config);
  } catch (error) {
    throw isModelsvcError(error, 'config') && error.path.startsWith('models') ? brokenFile(`${path}: ${error.path} ${error.problem}`) : error;
  }
}

/** The key for the china host, which embeddings and moderations use in every region. A stored key goes there only if it is bound to it. */
function chinaKey(run: RunNotes, { account, hosts, apiKey }: CredentialSource): string {
  try {
    if (account !== undefined) checkBinding(account, hosts ?? [], new URL(platformRoots.china).origin);
  } catch (error) {
    // The library reports that the key function failed, without the reason.
    run.refusal = error;
    throw error;
  }
  return apiKey;
}

/** A proxy variable must not apply to this machine: HTTP is not encrypted, and the proxy would read the key. */
export function connectDirectly(root: string, env: NodeJS.ProcessEnv): void {
  const { hostname } = URL.canParse(root) ? new URL(root) : { hostname: '' };
  if (isLoopback(hostname)) env['no_proxy'] = [env['no_proxy'] || env['NO_PROXY'], hostname].filter(Boolean).join(',');
}

/** An entry of NO_PROXY that no rule reads, once for each command: its requests go through the proxy. */
function nameUnreadExceptions(cli: Cli, root: string): void {
  if (cli.run.hasNamedExceptions || !URL.canParse(root)) return;
  const { variable, exception, exceptions, unread } = proxyChoice(new URL(root), cli.screen.io.env);
  if (variable === undefined || exception !== undefined || unread.length === 0) return;
  cli.run.hasNamedExceptions = true;
  cli.screen.warn(`${unreadText(exceptions, unread)}. ${unreadNext}`);
}

/** The hooks of every command. */
export async function hooksOf(cli: Cli, onRetry: RetryNote = noteRetry(cli.screen)): Promise<Hook[]> {
  const notes = [retryNotes(onRetry), modelNotes(cli.screen), lastReply(cli.run)];
  if (cli.values.debug !== true) return notes;
  const { debugHook } = await import('modelsvc/debug');
  return [...notes, debugHook({ write: (line) => void cli.screen.io.stderr.write(`${line}\n`) })];
}

/** Shows that a call is tried again, to explain a slow command. */
export type RetryNote = (error: ModelsvcError, delayMs: number, leftMs: number | undefined) => void;

/** A line on stderr with the delay. The advice is in the error that ends the command, if all tries fail. */
export function noteRetry(screen: Screen): RetryNote {
  const told = new Map<string, number>();
  return (error, delayMs, leftMs) => {
    const [line = ''] = problemOf(error).split('\n', 1);
    // Calls in flight together fail for one reason: one line until the first of them is tried again.
    const now = performance.now();
    const reason = 'requestId' in error ? line.replace(String(error.requestId), '') : line;
    if (now < (told.get(reason) ?? 0)) return;
    told.set(reason, now + delayMs);
    const left = leftMs === undefined ? '' : ` (${waitText(leftMs)} left)`;
    screen.note(`retrying in ${(delayMs / 1000).toFixed(1)} s${left}: ${line}`);
  };
}

function retryNotes(onRetry: RetryNote): Hook {
  return {
    onRetry: (_meta, error, delayMs, _why, leftMs) => {
      if (delayMs !== undefined) onRetry(error, delayMs, leftMs);
    },
  };
}

/** Keeps the reply of the last call, for a command that cannot lay it out. */
function lastReply(run: RunNotes): Hook {
  return {
    onEnd: ({ kind }, outcome) => {
      if (kind === 'call' && outcome.kind === 'ok') run.lastReply = outcome.result.bind(outcome);
    },
  };
}

/** An effort that the model does not have, and a model that is leaving, once each: a run may make many calls. */
function modelNotes(screen: Screen): Hook {
  const told = new Set<string>();
  const tell = (text: string): void => {
    if (!told.has(text)) screen.note(text);
    told.add(text);
  };
  return {
    onStart: ({ effort }) => void (effort?.why !== undefined && tell(`effort ${effort.asked}: ${effort.why}`)),
    onNote: (_meta, note) => void (note.kind === 'leaving' && tell(leavingText(note))),
  };
}

function leavingText({ model, until }: { readonly model: string; readonly until: string | undefined }): string {
  return `${model} will retire ${until === undefined ? 'soon' : `after ${until}`}: modelsvc models list has the others`;
}
