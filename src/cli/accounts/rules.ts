// Rules of the store: which changes are refused, and how a new account is written.
import { existsSync } from 'node:fs';
import { CliError, exitCodes, usageError } from '../errors/exit.ts';
import { type AccountFacts, platformRoots } from '../hosts.ts';
import { type Accounts, type Contents, isAccountName, type NewAccount, type StoredAccount, type StoredSecret } from './format.ts';
import { fingerprint, maskedKey } from './key.ts';

export function entryOf(
  { name: _name, secret, keyId, createdAt, ...fields }: NewAccount & { readonly keyId: string },
  before: StoredAccount | undefined,
): StoredAccount {
  const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as unknown as StoredAccount;
  const { baseUrl: _root, kind: _kind, organization: _organization, project: _project, ...kept } = before ?? {};
  return {
    ...kept,
    ...given,
    keyId,
    keyMask: maskedKey(secret.apiKey),
    keyFingerprint: fingerprint(secret.apiKey),
    createdAt: createdAt ?? before?.createdAt ?? new Date().toISOString(),
  };
}

/** A wired tool depends on these facts: `coding` records them, and compares them later. */
export function factsOf({ keyFingerprint, baseUrl, region, kind }: StoredAccount): AccountFacts {
  return { key: keyFingerprint, home: baseUrl ?? platformRoots[region], kind: kind ?? 'unknown' };
}

/** Keys that no account refers to. */
export function leftovers(accounts: ReadonlyMap<string, StoredAccount>, keys: Contents<StoredSecret>): [string, StoredSecret][] {
  const used = new Set([...accounts.values()].map(({ keyId }) => keyId));
  return [...keys.entries].filter(([id]) => !used.has(id));
}

export function found({ entries }: Accounts, name: string): StoredAccount {
  const account = entries.get(name);
  if (account) return account;
  const close = [...entries.keys()].find(
    (one) => one.toLowerCase().startsWith(name.toLowerCase()) || name.toLowerCase().startsWith(one.toLowerCase()),
  );
  throw new CliError(
    `no account ${JSON.stringify(name)}${close === undefined ? '' : `; did you mean ${close}?`}`,
    exitCodes.notFound,
    existsSync(name)
      ? '-a is the account; -f adds a file to a question.'
      : entries.size === 0
        ? 'Run `modelsvc accounts add NAME`.'
        : 'Run `modelsvc accounts list`.',
  );
}

export function exists(names: readonly string[]): CliError {
  const text = names.length === 1 ? `account ${names[0]} exists` : `accounts ${names.join(', ')} exist`;
  return usageError(text, 'Choose another name, or replace the key with --replace.');
}

export function checkName(name: string): void {
  if (!isAccountName(name))
    throw usageError(`an account name has 1 to 64 letters, digits, dots, hyphens and underscores, not ${JSON.stringify(name)}`);
}

export function missingKey(name: string, store: StoredAccount['store']): CliError {
  return new CliError(`the key of account ${name} is missing from the ${store}`, exitCodes.auth, `Run \`modelsvc accounts add ${name} --replace\`.`);
}
