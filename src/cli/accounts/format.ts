// The two files of the store as values. Fields of other versions are kept.

import type { CliError } from '../errors/exit.ts';
import { isFields, type JsonFields, jsonValue } from '../files/json.ts';
import { broken, newer } from './file.ts';

export type AccountRegion = 'global' | 'china';
export type AccountKind = 'plan' | 'payg' | 'team';

/** An account without its key. */
export interface StoredAccount {
  readonly region: AccountRegion;
  /** Undefined if the key was stored without a check. */
  readonly kind?: AccountKind;
  readonly store: 'file' | 'keychain';
  /** Id of the key in its store. A new key gets a new id, so that accounts.json alone decides which key is used. */
  readonly keyId: string;
  readonly baseUrl?: string;
  /** `abcd…wxyz`. */
  readonly keyMask: string;
  readonly keyFingerprint: string;
  readonly createdAt: string;
  readonly note?: string;
}

/** A key, and the origins that it may be sent to. They are kept together, so that no other file can redirect the key. */
export interface Secret {
  readonly apiKey: string;
  readonly hosts: readonly string[];
}

/** A key in credentials.json. `account` is the name when the key was written; it names keys that no account refers to. */
export interface StoredSecret extends Secret {
  readonly account: string;
}

/** An account to store, with its key. */
export interface NewAccount extends Pick<StoredAccount, 'region' | 'kind' | 'store' | 'baseUrl' | 'note'> {
  readonly name: string;
  readonly secret: Secret;
  readonly createdAt?: string;
}

/** Version of both files. A file of a newer version is read if its fields fit, and never written. */
export const formatVersion = 1;

export interface Contents<T> {
  readonly version: number;
  readonly entries: Map<string, T>;
  /** All fields of the file. */
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface Accounts extends Contents<StoredAccount> {
  active: string | undefined;
}

const namePattern = /^[A-Za-z0-9._-]{1,64}$/;

export function isAccountName(name: string): boolean {
  return namePattern.test(name);
}

export function parseAccounts(path: string, text: string | undefined): Accounts {
  const contents = parse<StoredAccount>(path, text, 'accounts', (name, entry) => {
    if (!isAccountName(name)) return 'has an invalid name';
    if (entry['region'] !== 'global' && entry['region'] !== 'china') return 'has no valid region';
    if (entry['store'] !== 'file' && entry['store'] !== 'keychain') return 'has no valid store';
    if (!['plan', 'payg', 'team', undefined].includes(entry['kind'] as string)) return 'has no valid kind';
    if (!['string', 'undefined'].includes(typeof entry['baseUrl'])) return 'has no valid baseUrl';
    const texts = ['keyId', 'keyMask', 'keyFingerprint', 'createdAt'].filter((field) => typeof entry[field] !== 'string');
    return texts.length > 0 ? `lacks ${texts.join(', ')}` : undefined;
  });
  const { active } = contents.fields;
  if (active !== undefined && typeof active !== 'string') throw broken(path, 'has an active account that is not a name');
  // An unknown active account counts as none.
  return { ...contents, active: active !== undefined && contents.entries.has(active) ? active : undefined };
}

export function parseKeys(path: string, text: string | undefined): Contents<StoredSecret> {
  return parse<StoredSecret>(path, text, 'keys', (_id, { apiKey, hosts, account }) => {
    if (typeof apiKey !== 'string' || apiKey === '') return 'has no apiKey';
    if (typeof account !== 'string') return 'has no account';
    return Array.isArray(hosts) && hosts.every((host) => typeof host === 'string') ? undefined : 'has no list of hosts';
  });
}

function parse<T>(
  path: string,
  text: string | undefined,
  field: string,
  problemOf: (name: string, entry: JsonFields) => string | undefined,
): Contents<T> {
  if (text === undefined) return { version: formatVersion, entries: new Map(), fields: {} };
  const fields = jsonValue(text.replace(/^\uFEFF/, ''));
  if (!isFields(fields)) throw broken(path, text.trim() === '' ? 'is empty' : 'is not a JSON object');
  const { version } = fields;
  if (typeof version !== 'number' || !Number.isInteger(version) || version < 1) throw broken(path, 'has no version');
  const invalid = (problem: string): CliError =>
    version > formatVersion ? newer(path, version, 'Update modelsvc to use it.') : broken(path, problem);
  const entries = fields[field];
  if (!isFields(entries)) throw invalid(`has no object "${field}"`);
  const map = new Map(Object.entries(entries));
  for (const [name, entry] of map) {
    const problem = isFields(entry) ? problemOf(name, entry) : 'is not an object';
    if (problem !== undefined) throw invalid(`has an invalid entry: ${JSON.stringify(name.slice(0, 80))} ${problem}`);
  }
  return { version, entries: map as Map<string, T>, fields };
}

export function accountsText({ fields, version, active, entries }: Accounts): string {
  const { active: _before, ...rest } = fields;
  return textOf({ ...rest, version, ...(active !== undefined && { active }), accounts: Object.fromEntries(entries) });
}

export function keysText({ fields, version, entries }: Contents<StoredSecret>): string {
  return textOf({ ...fields, version, keys: Object.fromEntries(entries) });
}

function textOf(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
