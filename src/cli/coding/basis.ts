// The members of a wiring: the one list that `load` and `mcp add` record, and that a change of an account, `doctor` and `status` compare with the present.
import { factsOf } from '../accounts/rules.ts';
import type { AccountStore } from '../accounts/store.ts';
import type { AccountFacts, CredentialSource } from '../hosts.ts';
import type { KeySource } from './key-source.ts';

/** The members. A record of an earlier version has fewer: an absent member is unknown, and is not compared. */
export interface WiringBasis extends Partial<AccountFacts> {
  /** Account whose key the tool gets. */
  readonly account?: string | undefined;
  /** Where the tool sends the key. */
  readonly root?: string | undefined;
  /** Program that the line for the key calls. */
  readonly program?: string | undefined;
}

/** An account as it is now. `hosts` are those that its key may go to. */
export interface Present {
  readonly facts: AccountFacts;
  readonly hosts: readonly string[];
  /** This program, as a line for the key calls it. */
  readonly program?: string | undefined;
}

/** The members of a wiring that is about to be written. */
export function basisOf({ account, facts }: CredentialSource, key: KeySource, root: string): WiringBasis {
  return { account, root, ...facts, ...(key.mode === 'helper' && { program: key.program }) };
}

/** For each member the clause that follows `wired with account NAME`, if the member differs. */
const differing: Readonly<Record<Exclude<keyof WiringBasis, 'account'>, (was: string, now: Present) => string | false>> = {
  key: (was, { facts }) => was !== facts.key && 'which has another key now',
  home: (was, { facts }) => was !== facts.home && `which is for ${facts.home} now, not for ${was}`,
  kind: (was, { facts }) => !isSameKind(was, facts.kind) && `which is of kind ${facts.kind} now, not ${was}`,
  root: (was, { hosts }) => URL.canParse(was) && !hosts.includes(new URL(was).origin) && `whose key may not go to ${new URL(was).origin} any more`,
  program: (was, { program }) => program !== undefined && was !== program && `whose key it gets from ${was}, which is not this program`,
};

/** A key of unknown kind is wired as one of a plan. */
function isSameKind(was: string, now: string): boolean {
  return was === now || ([was, now].includes('unknown') && ![was, now].includes('payg'));
}

/** The differences between the account of a wiring and the present, as clauses. `now` is undefined for an account that is gone. */
export function differences(entry: WiringBasis, now: Present | undefined): readonly string[] {
  if (now === undefined) return ['which is gone'];
  return Object.entries(differing).flatMap(([name, differs]) => {
    const was = entry[name as keyof typeof differing];
    return (was !== undefined && differs(was, now)) || [];
  });
}

/** Undefined if the account is gone. Throws a CliError if its key cannot be read. */
export async function presentOf(store: AccountStore, account: string): Promise<Present | undefined> {
  const stored = (await store.accounts()).entries.get(account);
  return stored && { facts: factsOf(stored), hosts: (await store.secret(account)).hosts };
}

/** The accounts that tools are wired with, each once. */
export function accountsOf(entries: readonly WiringBasis[]): readonly string[] {
  return [...new Set(entries.flatMap(({ account }) => account ?? []))];
}

/** The commands that wire these parts again, with an account. */
export function againWith(account: string, entries: readonly { readonly tool: string; readonly part: string }[]): string {
  const loaded = entries.filter(({ part }) => part === 'load').map(({ tool }) => tool);
  const servers = new Map<string, string>();
  for (const { tool, part } of entries)
    if (part !== 'load') servers.set(tool, `${servers.get(tool) ?? `mcp add ${tool}`} --server ${part.slice('mcp:'.length)}`);
  const commands = [...(loaded.length > 0 ? [`load ${[...new Set(loaded)].join(' ')}`] : []), ...servers.values()];
  return `Run ${commands.map((command) => `\`modelsvc coding ${command} --account ${account}\``).join(' and ')}.`;
}
