// `quota --all-accounts`: the windows of every stored account. An account that fails does not hide the others.
import type { QuotaLimits } from 'modelsvc/types';
import { accountCredential, accountStore } from '../../accounts/credentials.ts';
import type { Cli } from '../../cli.ts';
import { clientFor } from '../../client.ts';
import { CliError, exitCodes, usageError } from '../../errors/exit.ts';
import type { Input } from '../../input/input.ts';
import { each } from '../../reports/each.ts';
import type { Column } from '../../terminal/output.ts';
import type { Screen } from '../../terminal/screen.ts';
import { waitText } from '../../terminal/time-text.ts';
import { inTime, latestQuota, soon } from './latest.ts';
import { quotaJson, quotaView, type View, type WindowView } from './view.ts';

interface AccountQuota {
  readonly account: string;
  readonly quota: QuotaLimits;
  readonly at: Date;
}

interface AccountRow {
  readonly account: string;
  readonly level: string | undefined;
  /** Undefined for an account without a plan. */
  readonly window: WindowView | undefined;
}

/** Prints the windows. `exitOf` decides about `--check`; its code wins over a failed account's. */
export async function showAll(cli: Cli, input: Input, exitOf: (view: View, account: string) => number): Promise<number | undefined> {
  const { account, apiKeyFile, apiKeyStdin } = cli.values;
  if (
    account !== undefined ||
    apiKeyFile !== undefined ||
    apiKeyStdin === true ||
    ['watch', 'organization', 'project'].some((name) => input.text(name) !== undefined)
  )
    throw usageError('--all-accounts excludes --account, --api-key-file, --api-key-stdin, --watch, --organization and --project');
  const store = accountStore(cli);
  const names = [...(await store.accounts()).entries.keys()].sort();
  if (names.length === 0) throw new CliError('there are no accounts', exitCodes.auth, 'Run `modelsvc accounts add NAME`.');
  // Lines are for a prompt, and have one deadline together.
  const deadline = input.text('format') === 'statusline' && cli.screen.isText ? soon() : undefined;
  const { done, code } = await each(cli, names, async (name): Promise<AccountQuota[]> => {
    const reading = accountCredential(cli, store, name);
    const credential = await (deadline ? inTime(reading, deadline) : reading);
    if (!credential) return [];
    const client = await clientFor(cli, credential);
    if (!deadline) return [{ account: name, quota: await client.quota().getLimit(cli.ctx), at: new Date() }];
    const known = await latestQuota(cli, client, credential, deadline);
    return known ? [{ account: name, ...known }] : [];
  }).then(({ done, code }) => ({ done: done.flat(), code }));
  const now = new Date();
  const views = done.map(({ account, quota, at }) => ({ account, at, view: quotaView(quota, now, at) }));
  if (deadline) await printLines(cli.screen, views, now);
  else if (cli.screen.isText) await cli.screen.list(views.flatMap(rowsOf), columnsAt(now));
  else
    await cli.screen.list(
      done.map((one) => withName(one, now)),
      [],
    );
  const codes = views.map(({ account, view }) => exitOf(view, account));
  return codes.includes(exitCodes.threshold) ? exitCodes.threshold : (codes.find((one) => one !== exitCodes.ok) ?? code);
}

function withName({ account, quota }: { readonly account: string; readonly quota: QuotaLimits }, now: Date): object {
  return { account, ...quotaJson(quota, now) };
}

function rowsOf({ account, view: { level, windows } }: { readonly account: string; readonly view: View }): AccountRow[] {
  return windows.length === 0 ? [{ account, level, window: undefined }] : windows.map((window) => ({ account, level, window }));
}

async function printLines(
  screen: Screen,
  views: readonly { readonly account: string; readonly view: View; readonly at: Date }[],
  now: Date,
): Promise<void> {
  if (views.length === 0) return;
  const { statusline } = await import('./statusline.ts');
  const lines = views.map(({ account, view, at }) => `${account}: ${statusline(view, now, screen.paint, at)}`);
  await screen.result({}, () => lines.join('\n'));
}

function columnsAt(now: Date): Column<AccountRow>[] {
  return [
    { title: 'ACCOUNT', text: ({ account }) => account },
    { title: 'PLAN', text: ({ level }) => level ?? 'none' },
    { title: 'WINDOW', text: ({ window }) => window?.name },
    { title: 'USED', text: ({ window }) => usedText(window) },
    { title: 'RESETS', text: ({ window }) => resetText(window, now) },
  ];
}

function usedText(window: WindowView | undefined): string {
  if (!window) return '';
  return window.usedPercent === undefined ? 'unknown' : `${Math.floor(window.usedPercent)} %`;
}

function resetText(window: WindowView | undefined, now: Date): string {
  if (!window?.resetsAt) return '';
  const leftMs = window.resetsAt.getTime() - now.getTime();
  return leftMs <= 0 ? 'now' : `in ${waitText(leftMs)}`;
}
