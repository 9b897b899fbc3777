// Warnings about tools that are wired with an account. They keep what they were wired with, so a command that changes the account names those that do not follow.
import { accountStore } from '../accounts/credentials.ts';
import type { Cli } from '../cli.ts';
import { accountsOf, againWith, differences, presentOf } from './basis.ts';
import type { RecordEntry } from './record.ts';

/** Warns about tools that are wired with an earlier state of these accounts. `successor` is the new name of a renamed account. */
export async function warnOfTools(cli: Cli, accounts: readonly string[], successor?: string): Promise<void> {
  const store = accountStore(cli);
  const all = await wiredEntries(cli);
  for (const account of accounts) {
    const entries = all.filter((entry) => entry.account === account);
    if (entries.length === 0) continue;
    // The change is made. A key that cannot be read is a finding of `doctor`.
    const now = await presentOf(store, account).catch(() => 'unreadable' as const);
    if (now === 'unreadable') continue;
    const behind = entries.filter((entry) => differences(entry, now).length > 0);
    if (behind.length === 0) continue;
    const clauses = new Set(behind.flatMap((entry) => differences(entry, now)));
    const name = now === undefined ? successor : account;
    const next = name === undefined ? `Run \`modelsvc coding unload ${toolsOf(behind).join(' ')}\`.` : againWith(name, behind);
    cli.screen.warn(`${subject(behind)} wired with account ${account}, ${[...clauses].join(', and ')}. ${next}`);
  }
}

/** Makes an account the active one, and notes the tools that stay with another. */
export async function useAccount(cli: Cli, active: string): Promise<void> {
  const store = accountStore(cli);
  const before = (await store.accounts()).active;
  await store.use(active);
  if (before === active) return;
  const others = (await wiredEntries(cli)).filter(({ account }) => account !== undefined && account !== active);
  if (others.length > 0)
    cli.screen.note(`${subject(others)} still wired with account ${accountsOf(others).join(' and ')}. ${againWith(active, others)}`);
}

async function wiredEntries(cli: Cli): Promise<readonly RecordEntry[]> {
  const { codingRecord } = await import('./carry-out.ts');
  return codingRecord(cli)
    .read()
    .then(
      ({ entries }) => entries,
      () => [],
    );
}

function toolsOf(entries: readonly RecordEntry[]): readonly string[] {
  return [...new Set(entries.map(({ tool }) => tool))];
}

function subject(entries: readonly RecordEntry[]): string {
  const tools = toolsOf(entries);
  return `${tools.join(', ')} ${tools.length === 1 ? 'is' : 'are'}`;
}
