// The rules of redaction: two allow-lists, and the rules of a user.
import { checkFields } from '../../overlay/errors/known-fields.ts';
import { Problem } from '../../overlay/errors/problem.ts';

/** The name of an allow-list: `cassette` for your own tests, `bundle` for files that are shown to others. */
export type RedactionProfile = 'cassette' | 'bundle';

export interface Profile {
  /** Headers that stay. */
  readonly headers: readonly string[];
  /** Headers of ids: their names stay, their values do not. */
  readonly idHeaders: readonly string[];
  /** Texts and names of fields: all without credentials, or only words of the spec. Other texts become their length, as `<text 12>`. */
  readonly texts: 'all' | 'spec';
  /** Ids: a stable name, the same wherever the id occurs; or one placeholder for all. */
  readonly ids: 'named' | 'hidden';
  /** Numbers from here on become 0: they are times, accounts or phone numbers. Undefined to keep all. */
  readonly numbersBelow: number | undefined;
}

const idHeaders = ['x-log-id', 'x-request-id', 'request-id'];

/** Both profiles remove credentials, cookies, account data and dates of headers. `retry-after` stays if it is a number. */
export const profiles: Readonly<Record<RedactionProfile, Profile>> = {
  cassette: {
    headers: ['content-type', 'retry-after', 'retry-after-ms', 'anthropic-version'],
    idHeaders,
    texts: 'all',
    ids: 'named',
    numbersBelow: undefined,
  },
  bundle: {
    headers: ['content-type', 'retry-after', 'retry-after-ms', 'anthropic-version'],
    idHeaders,
    texts: 'spec',
    ids: 'hidden',
    numbersBelow: 1e9,
  },
};

/** Fields with data of an account. In arguments of a tool they stay: there they are part of the model's answer. */
export const accountFields: ReadonlySet<string> = new Set(
  `user userid enduser enduserid username nickname realname email phone phonenumber mobile account accountid accountname accountno customer
  customerid customername customernumber organization organizationid orgid tenantid projectid safetyidentifier ip ipaddress clientip balance
  availablebalance`.split(/\s+/),
);

/** Rules of a user for redaction. All are optional. Credentials are always replaced. */
export interface RedactionRules {
  /** Default: `cassette`. */
  readonly profile?: RedactionProfile | undefined;
  /** Headers to keep in addition. A header of a credential is refused. */
  readonly keepHeaders?: readonly string[] | undefined;
  /** Fields to keep although they have the name of account data, for instance `user`. */
  readonly keepFields?: readonly string[] | undefined;
  /** Fields to replace by `<removed>`, at any depth. */
  readonly removeFields?: readonly string[] | undefined;
  /** Texts to replace wherever they occur, at least 8 characters long each. */
  readonly secrets?: readonly string[] | undefined;
  /** Words that stay in the profile `bundle`, in addition to those of the spec. */
  readonly words?: readonly string[] | undefined;
}

/** Refuse rules that are not RedactionRules. */
export function checkRules(rules: RedactionRules, place: string): void {
  const lists = { keepHeaders: 1, keepFields: 1, removeFields: 1, secrets: 1, words: 1 } as const;
  checkFields<RedactionRules>(rules, { profile: 1, ...lists }, place);
  if (rules.profile !== undefined && !Object.hasOwn(profiles, rules.profile)) throw new Problem(`${place}.profile`, 'must be cassette or bundle');
  for (const name of Object.keys(lists) as (keyof typeof lists)[]) {
    const list = rules[name];
    if (list !== undefined && !(Array.isArray(list) && list.every((one) => typeof one === 'string')))
      throw new Problem(`${place}.${name}`, 'must be a list of texts');
  }
}
