// The accounts of a user: accounts.json, and the keys in credentials.json or in the keychain of the system.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { KeptFile } from '../../store/document.ts';
import {
  type Accounts,
  accountsForm,
  type Contents,
  keysForm,
  type NewAccount,
  type Secret,
  type StoredAccount,
  type StoredSecret,
} from './format.ts';
import { readKeychain, removeKeychain, writeKeychain } from './keychain.ts';
import { checkName, entryOf, exists, found, leftovers, missingKey } from './rules.ts';

/** Both files during a change, while the lock is held. Each `save` is durable when it returns. */
interface StoreChange {
  readonly accounts: Accounts;
  readonly keys: Contents<StoredSecret>;
  saveAccounts(): Promise<void>;
  saveKeys(): Promise<void>;
}

/**
 * A change writes a new key first and the account that refers to it last; a removal goes the other way. A process that is killed between the
 * two leaves a key without an account, or an account without a key. The next `put` or `remove` of the name cleans up.
 */
export class AccountStore {
  readonly accountsFile: string;
  readonly credentialsFile: string;
  readonly folder: string;
  readonly #accounts: KeptFile<Accounts>;
  readonly #keys: KeptFile<Contents<StoredSecret>>;
  readonly #signal: AbortSignal;

  constructor(folder: string, signal: AbortSignal) {
    this.folder = folder;
    this.accountsFile = join(folder, 'accounts.json');
    this.credentialsFile = join(folder, 'credentials.json');
    this.#accounts = new KeptFile(this.accountsFile, accountsForm);
    this.#keys = new KeptFile(this.credentialsFile, keysForm);
    this.#signal = signal;
  }

  /** All accounts, without keys. */
  async accounts(): Promise<Accounts> {
    return (await this.#accounts.find())?.value ?? { entries: new Map() };
  }

  async account(name: string): Promise<StoredAccount> {
    return found(await this.accounts(), name);
  }

  async secret(name: string): Promise<Secret> {
    let before = '';
    for (;;) {
      const { store, keyId } = await this.account(name);
      const secret = store === 'keychain' ? await readKeychain(keyId, this.#signal) : (await this.#secrets()).entries.get(keyId);
      if (secret) return secret;
      // Another process may have replaced the key between the two reads. The account then refers to a new key.
      if (keyId === before) throw missingKey(name, store);
      before = keyId;
    }
  }

  /** Names of keys that no account refers to. A killed process leaves them. */
  async orphans(): Promise<string[]> {
    const keys = await this.#secrets();
    const { entries } = await this.accounts();
    return leftovers(entries, keys).map(([, { account }]) => account);
  }

  /** Stores accounts with their keys, all or none. The first account of a store becomes the active one. */
  async put(added: readonly NewAccount[], { isReplacing = false }: { readonly isReplacing?: boolean } = {}): Promise<void> {
    for (const { name } of added) checkName(name);
    const withIds = added.map((one) => ({ ...one, keyId: `k${randomBytes(8).toString('hex')}` }));
    const inKeychain = withIds.filter(({ store }) => store === 'keychain');
    const replaced: StoredAccount[] = [];
    try {
      for (const { keyId, secret } of inKeychain) await writeKeychain(keyId, secret, this.#signal);
      await this.#change(async ({ accounts, keys, saveAccounts, saveKeys }) => {
        const taken = added.filter(({ name }) => accounts.entries.has(name)).map(({ name }) => name);
        if (taken.length > 0 && !isReplacing) throw exists(taken);
        for (const { name, store, keyId, secret } of withIds) if (store === 'file') keys.entries.set(keyId, { account: name, ...secret });
        if (inKeychain.length < withIds.length) await saveKeys();
        for (const one of withIds) {
          const before = accounts.entries.get(one.name);
          if (before) replaced.push(before);
          accounts.entries.set(one.name, entryOf(one, before));
        }
        accounts.active ??= added[0]?.name;
        await saveAccounts().catch(async (error: unknown) => {
          // The write may have failed after the replacement: only keys that no account refers to are removed.
          for (const { keyId } of withIds) if ((await this.#uses(keyId)) === false) keys.entries.delete(keyId);
          await saveKeys().catch(() => undefined);
          throw error;
        });
        await forget(
          added.map(({ name }) => name),
          { accounts, keys, saveAccounts, saveKeys },
        );
      });
    } catch (error) {
      for (const { keyId } of inKeychain) if ((await this.#uses(keyId)) === false) await quietly(removeKeychain(keyId));
      throw error;
    }
    for (const { store, keyId } of replaced) if (store === 'keychain') await quietly(removeKeychain(keyId));
  }

  /** Makes an account the active one. */
  async use(name: string): Promise<void> {
    await this.#change(async ({ accounts, saveAccounts }) => {
      found(accounts, name);
      if (accounts.active === name) return;
      accounts.active = name;
      await saveAccounts();
    });
  }

  async rename(from: string, to: string): Promise<void> {
    checkName(to);
    await this.#change(async ({ accounts, saveAccounts }) => {
      const account = found(accounts, from);
      if (from === to) return;
      if (accounts.entries.has(to)) throw exists([to]);
      accounts.entries.delete(from);
      accounts.entries.set(to, account);
      if (accounts.active === from) accounts.active = to;
      await saveAccounts();
    });
  }

  /** Changes fields of an account; its key stays. */
  async update(name: string, fields: Partial<Pick<StoredAccount, 'kind' | 'note'>>): Promise<void> {
    await this.#change(async ({ accounts, saveAccounts }) => {
      accounts.entries.set(name, { ...found(accounts, name), ...fields });
      await saveAccounts();
    });
  }

  /** Removes an account and its key, and keys of the name that a killed process left. False if there is neither. */
  async remove(name: string, { keepsKey = false }: { readonly keepsKey?: boolean } = {}): Promise<boolean> {
    return this.#change(async (draft) => {
      const { accounts, keys, saveAccounts, saveKeys } = draft;
      const account = accounts.entries.get(name);
      if (!account) return forget([name], draft);
      if (account.store === 'keychain' && !keepsKey) await removeKeychain(account.keyId, this.#signal);
      if (keys.entries.delete(account.keyId)) await saveKeys();
      accounts.entries.delete(name);
      // One that is left is the active one, as the first one is that is added.
      const [next, ...others] = accounts.entries.keys();
      if (accounts.active === name) accounts.active = others.length === 0 ? next : undefined;
      await saveAccounts();
      await forget([name], draft);
      return true;
    });
  }

  /** Sets the origins that the key of an account may be sent to. */
  async setHosts(name: string, edit: (hosts: readonly string[]) => readonly string[]): Promise<void> {
    await this.#change(async ({ accounts, keys, saveKeys }) => {
      const { store, keyId } = found(accounts, name);
      const secret = store === 'keychain' ? await readKeychain(keyId, this.#signal) : keys.entries.get(keyId);
      if (!secret) throw missingKey(name, store);
      const hosts = [...new Set(edit(secret.hosts))];
      if (store === 'keychain') return writeKeychain(keyId, { apiKey: secret.apiKey, hosts }, this.#signal);
      keys.entries.set(keyId, { ...secret, account: name, hosts });
      await saveKeys();
    });
  }

  /** Fails early for a name that `put` would refuse, before the prompt for a key. */
  async checkAddable(name: string, { isReplacing }: { readonly isReplacing: boolean }): Promise<void> {
    checkName(name);
    const accounts = await this.#accounts.draft();
    await this.#keys.draft();
    if (accounts?.entries.has(name) && !isReplacing) throw exists([name]);
  }

  async #secrets(): Promise<Contents<StoredSecret>> {
    return (await this.#keys.find())?.value ?? { entries: new Map() };
  }

  /** True if an account refers to the key; undefined if the store cannot be read. */
  #uses(keyId: string): Promise<boolean | undefined> {
    return this.accounts().then(
      ({ entries }) => [...entries.values()].some((account) => account.keyId === keyId),
      () => undefined,
    );
  }

  async #change<T>(edit: (draft: StoreChange) => Promise<T>): Promise<T> {
    return this.#accounts.hold(this.#signal, async (accounts = { entries: new Map() }, save, check) => {
      const keys = (await this.#keys.draft()) ?? { entries: new Map() };
      return edit({ accounts, keys, saveAccounts: () => save(accounts), saveKeys: () => this.#keys.write(keys, check) });
    });
  }
}

/** Removes keys of these names that no account refers to. Returns true if there are any. */
async function forget(names: readonly string[], { accounts, keys, saveKeys }: StoreChange): Promise<boolean> {
  const left = leftovers(accounts.entries, keys).filter(([, { account }]) => names.includes(account));
  for (const [id] of left) keys.entries.delete(id);
  if (left.length > 0) await saveKeys();
  return left.length > 0;
}

/** A leftover entry of the keychain is harmless: no account refers to it. */
async function quietly(removal: Promise<void>): Promise<void> {
  await removal.catch(() => undefined);
}
