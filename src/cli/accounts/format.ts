// The two files of the store as values. Fields of other versions are kept.

import * as v from 'valibot';
import { type Form, jsonText } from '../../store/document.ts';
import { isFields, type JsonFields } from '../files/json.ts';

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
  /** Both ids of a team. */
  readonly organization?: string;
  readonly project?: string;
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
export interface NewAccount extends Pick<StoredAccount, 'region' | 'kind' | 'store' | 'baseUrl' | 'organization' | 'project' | 'note'> {
  readonly name: string;
  readonly secret: Secret;
  readonly createdAt?: string;
}

/** A file as a value, with the fields that this version does not know. */
export interface Contents<T> {
  readonly entries: Map<string, T>;
}

export interface Accounts extends Contents<StoredAccount> {
  active?: string | undefined;
}

const namePattern = /^[A-Za-z0-9._-]{1,64}$/;

export function isAccountName(name: string): boolean {
  return namePattern.test(name);
}

/** A map, because the name of an entry may be one that objects have, such as `__proto__`. */
function entriesOf<T>(name: v.GenericSchema<string>, entry: v.GenericSchema<unknown, T>): v.GenericSchema<unknown, Map<string, T>> {
  return v.pipe(
    v.custom<JsonFields>(isFields),
    v.transform((fields) => new Map<string, unknown>(Object.entries(fields))),
    v.map(name, entry),
  );
}

/** Of both files. */
const common = {
  version: 1,
  readsNewer: true,
  isPrivate: true,
  cure: 'The file was not changed. Repair it, or move it away and add the accounts again.',
};

export const accountsForm: Form<Accounts> = {
  ...common,
  shape: v.pipe(
    v.looseObject({
      active: v.optional(v.string()),
      accounts: entriesOf(
        v.pipe(v.string(), v.check(isAccountName)),
        v.looseObject({
          region: v.picklist(['global', 'china']),
          kind: v.exactOptional(v.picklist(['plan', 'payg', 'team'])),
          store: v.picklist(['file', 'keychain']),
          keyId: v.string(),
          baseUrl: v.exactOptional(v.string()),
          organization: v.exactOptional(v.string()),
          project: v.exactOptional(v.string()),
          keyMask: v.string(),
          keyFingerprint: v.string(),
          createdAt: v.string(),
          note: v.exactOptional(v.string()),
        }),
      ),
    }),
    // An unknown active account counts as none.
    v.transform(({ accounts: entries, active = '', ...fields }) => ({ ...fields, active: entries.has(active) ? active : undefined, entries })),
  ),
  text: ({ entries, ...fields }) => jsonText({ version: 1, ...fields, accounts: Object.fromEntries(entries) }),
};

export const keysForm: Form<Contents<StoredSecret>> = {
  ...common,
  shape: v.pipe(
    v.looseObject({
      keys: entriesOf(v.string(), v.looseObject({ apiKey: v.pipe(v.string(), v.minLength(1)), account: v.string(), hosts: v.array(v.string()) })),
    }),
    v.transform(({ keys: entries, ...fields }) => ({ ...fields, entries })),
  ),
  text: ({ entries, ...fields }) => jsonText({ version: 1, ...fields, keys: Object.fromEntries(entries) }),
};
