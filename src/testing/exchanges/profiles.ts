// The rules of redaction: its lists, and the rules of a user.
import { type Checks, checkValues, oneOf, texts } from '../checks.ts';

/** `cassette` for your own tests. `bundle` for files that are shown to others: its texts and names are from the spec, or lengths. */
export type RedactionProfile = 'cassette' | 'bundle';

/** Headers that stay, without dates: `retry-after` stays if it is a number. */
export const keptHeaders: readonly string[] = ['content-type', 'retry-after', 'retry-after-ms', 'anthropic-version'];

/** Headers of ids: their names stay, their values do not. */
export const idHeaders: readonly string[] = ['x-log-id', 'x-request-id', 'request-id'];

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
  /** Words that stay in the profile `bundle`, in addition to the spec's. */
  readonly words?: readonly string[] | undefined;
}

const ruleChecks: Checks<RedactionRules> = {
  profile: oneOf(['cassette', 'bundle'] satisfies RedactionProfile[]),
  keepHeaders: texts,
  keepFields: texts,
  removeFields: texts,
  secrets: texts,
  words: texts,
};

/** Refuse rules that are not RedactionRules. */
export function checkRules(rules: RedactionRules, place: string): void {
  checkValues(rules, ruleChecks, place);
}
