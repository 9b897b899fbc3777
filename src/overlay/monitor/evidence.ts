import type { ErrorCategory } from '../../generated/codes.ts';
import type { Quota } from '../../generated/types.ts';
import type { ModelsvcError } from '../errors/errors.ts';
import { isApiError } from '../errors/guards.ts';
import { listOf } from '../errors/json-value.ts';

/** What one call of a detection showed. */
export interface Evidence {
  readonly call: 'quota.getLimit' | 'models.list' | 'chat.create';
  readonly root: 'monitor' | 'coding' | 'platform';
  readonly ok: boolean;
  /** HTTP status, business code and category of an answer that was a failure. */
  readonly status: number | undefined;
  readonly code: string | undefined;
  readonly category: ErrorCategory | undefined;
  /** What this call alone says of the plan. */
  readonly plan: Plan;
  /** What this call alone says of the key; undefined for nothing. */
  readonly keyValid: boolean | undefined;
}

export type Plan = 'coding' | 'pay-as-you-go' | 'unknown';

/** What detection found, and why. */
export interface DetectionResult {
  /** `coding` also for a plan that is used up or has lapsed. */
  readonly plan: Plan;
  /** Undefined when no answer told. */
  readonly keyValid: boolean | undefined;
  /** One entry per call, in the order of asking. */
  readonly evidence: readonly Evidence[];
}

/** Only a plan has windows, a range of models, a term or a fair-use policy to run into. */
const planCodes: ReadonlySet<string> = new Set('1308 1309 1310 1311 1313 1314 1315 1316 1317 1318 1319 1320 1321'.split(' '));

/** Codes that the service can give only once it knows whose key it is; overload, bad requests and gateway failures say nothing of the key. */
const keyKnownCodes: ReadonlySet<string> = new Set(['1113', '1120', '1211', '1220', '1302', '1303', '1304', ...planCodes]);

/** Codes by which a root refuses this key or model for good, so that the next root's answer can decide. */
const refusals: ReadonlySet<ErrorCategory> = new Set<ErrorCategory>(['billing', 'permission', 'parameter', 'auth']);

/** What a failed call shows, by its code alone. */
export function failureEvidence(call: Evidence['call'], root: Evidence['root'], failure: ModelsvcError): Evidence {
  if (!isApiError(failure))
    return { call, root, ok: false, status: undefined, code: undefined, category: undefined, plan: 'unknown', keyValid: undefined };
  const { status, code, category } = failure;
  const known = code !== undefined && keyKnownCodes.has(code);
  return {
    call,
    root,
    ok: false,
    status,
    code,
    category,
    // 1113 on the coding root is what a key without any balance gets there, plan or none: it says nothing.
    plan: code !== undefined && planCodes.has(code) ? 'coding' : 'unknown',
    keyValid: category === 'auth' ? false : known ? true : undefined,
  };
}

/** What a reply to the quota call shows: a plan has a level or limits. `success` false never comes here. */
export function quotaEvidence(reply: { readonly success?: boolean; readonly data?: Quota | null }): Evidence {
  const hasPlan = Boolean(reply.data?.level) || listOf(reply.data?.limits).length > 0;
  // An answer without a word in it does not even show that the key was read.
  const keyValid = hasPlan || reply.success === true ? true : undefined;
  return { ...success('quota.getLimit', 'monitor'), plan: hasPlan ? 'coding' : 'pay-as-you-go', keyValid };
}

export function modelsEvidence(): Evidence {
  return success('models.list', 'platform');
}

/** What an answered chat shows. On the platform root it is paid from the balance; that settles it only if the coding root refused before. */
export function chatEvidence(root: 'coding' | 'platform', before: readonly Evidence[]): Evidence {
  if (root === 'coding') return { ...success('chat.create', root), plan: 'coding' };
  const refused = before.every((one) => one.category !== undefined && refusals.has(one.category));
  return { ...success('chat.create', root), plan: refused ? 'pay-as-you-go' : 'unknown' };
}

function success(call: Evidence['call'], root: Evidence['root']): Evidence {
  return { call, root, ok: true, status: undefined, code: undefined, category: undefined, plan: 'unknown', keyValid: true };
}

/** All evidence together: a plan seen anywhere stands; "no plan seen" counts only for a key that is known to be good. */
export function verdict(evidence: readonly Evidence[]): DetectionResult {
  const keyValid = evidence.some((one) => one.keyValid === true) ? true : evidence.some((one) => one.keyValid === false) ? false : undefined;
  const seen = (plan: Plan): boolean => evidence.some((one) => one.plan === plan);
  const plan = seen('coding') ? 'coding' : seen('pay-as-you-go') && keyValid === true ? 'pay-as-you-go' : 'unknown';
  return { plan, keyValid, evidence };
}
