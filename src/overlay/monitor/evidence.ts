// Turns the replies of a plan detection into evidence, and the evidence into a verdict.
import type { ErrorCategory } from '../../generated/codes.ts';
import type { Quota } from '../../generated/types.ts';
import type { ModelsvcError } from '../errors/errors.ts';
import { isApiError } from '../errors/guards.ts';
import { listOf } from '../json/json-value.ts';

/** Evidence from one call of a detection. */
export interface DetectionStep {
  readonly call: 'quota.getLimit' | 'models.list' | 'chat.create';
  readonly root: 'monitor' | 'coding' | 'platform';
  readonly ok: boolean;
  /** HTTP status of an ApiError, like the code and category below; undefined otherwise. */
  readonly status: number | undefined;
  readonly code: string | undefined;
  readonly category: ErrorCategory | undefined;
  /** Plan that this call alone suggests. */
  readonly plan: KeyPlan;
  /** Validity of the key by this call alone; undefined if the call does not show it. */
  readonly keyValid: boolean | undefined;
}

/** Plan of a key: a subscription for coding tools, or a balance. */
export type KeyPlan = 'coding' | 'pay-as-you-go' | 'unknown';

/** Result of a detection, with its evidence. */
export interface DetectionResult {
  /** `coding` also for a plan that is used up or expired. */
  readonly plan: KeyPlan;
  /** Undefined if no response showed it. */
  readonly keyValid: boolean | undefined;
  /** One entry per call, in order. */
  readonly evidence: readonly DetectionStep[];
}

/** Codes that only a plan can cause: its windows, its range of models, its term and its fair-use policy. */
const planCodes: ReadonlySet<string> = new Set('1308 1309 1310 1311 1313 1314 1315 1316 1317 1318 1319 1320 1321'.split(' '));

/** Codes that the service returns only after it has recognized the key. Overload, bad requests and gateway failures do not show that. */
const keyKnownCodes: ReadonlySet<string> = new Set(['1113', '1120', '1211', '1220', '1302', '1303', '1304', ...planCodes]);

/** Categories of a permanent refusal of this key or model by a root. After such a refusal, the response of the next root decides. */
const refusals: ReadonlySet<ErrorCategory> = new Set<ErrorCategory>(['billing', 'permission', 'parameter', 'auth']);

/** Evidence from a failed call, by its code only. */
export function failureEvidence(call: DetectionStep['call'], root: DetectionStep['root'], failure: ModelsvcError): DetectionStep {
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
    // A key without balance gets 1113 on the coding root, with or without a plan.
    plan: code !== undefined && planCodes.has(code) ? 'coding' : 'unknown',
    keyValid: category === 'auth' ? false : known ? true : undefined,
  };
}

/** Evidence from a response of the quota call: a plan has a level or limits. Responses with `success: false` have already thrown. */
export function quotaEvidence(reply: { readonly success?: boolean; readonly data?: Quota | null }): DetectionStep {
  const hasPlan = Boolean(reply.data?.level) || listOf(reply.data?.limits).length > 0;
  // An empty response does not show that the service checked the key.
  const keyValid = hasPlan || reply.success === true ? true : undefined;
  return { ...success('quota.getLimit', 'monitor'), plan: hasPlan ? 'coding' : 'pay-as-you-go', keyValid };
}

export function modelsEvidence(): DetectionStep {
  return success('models.list', 'platform');
}

/** Evidence from a successful chat. On the platform root it is paid from the balance, which counts only after a refusal by the coding root. */
export function chatEvidence(root: 'coding' | 'platform', before: readonly DetectionStep[]): DetectionStep {
  if (root === 'coding') return { ...success('chat.create', root), plan: 'coding' };
  const refused = before.every((one) => one.category !== undefined && refusals.has(one.category));
  return { ...success('chat.create', root), plan: refused ? 'pay-as-you-go' : 'unknown' };
}

function success(call: DetectionStep['call'], root: DetectionStep['root']): DetectionStep {
  return { call, root, ok: true, status: undefined, code: undefined, category: undefined, plan: 'unknown', keyValid: true };
}

/** Combines all evidence. One sign of a plan is enough; its absence counts only for a valid key. */
export function verdict(evidence: readonly DetectionStep[]): DetectionResult {
  const keyValid = evidence.some((one) => one.keyValid === true) ? true : evidence.some((one) => one.keyValid === false) ? false : undefined;
  const seen = (plan: KeyPlan): boolean => evidence.some((one) => one.plan === plan);
  const plan = seen('coding') ? 'coding' : seen('pay-as-you-go') && keyValid === true ? 'pay-as-you-go' : 'unknown';
  return { plan, keyValid, evidence };
}
