// The findings of the probes of a claim, and the verdict that follows.
import type { Claims } from './claims.ts';
import type { ClaimProbe, Judgement } from './probes/probe.ts';
import { fields, type ProbeReply, type Vocabulary } from './reply.ts';

/** A judgement of one claim by one probe. */
export interface ClaimFinding {
  readonly id: string;
  readonly probe: string;
  readonly judgement: Judgement;
}

export interface ClaimVerdict {
  readonly id: string;
  readonly verdict: 'holds' | 'differs' | 'unreachable';
  readonly expected?: unknown;
  readonly seen?: unknown;
  readonly why?: string;
}

/** Causes of a failure that are not about the request, by category. */
const causes: Readonly<Record<string, string>> = {
  auth: 'the service does not accept the key',
  account: 'the account may not call',
  billing: 'no balance',
  permission: 'this key may not do it',
  quota: 'the quota of the key is used up',
  rate: 'not reachable now: rate limit',
  server: 'not reachable now: the service failed',
  content: 'the service blocked the content',
};

/** Causes that may come from a gateway in front of the operations. */
const before = ['auth', 'account', 'rate', 'server'];

interface Cause {
  readonly category: string;
  readonly why: string;
}

/** The cause of a failure that another key, or another time, may not have. */
export function causeOf({ code, status }: ProbeReply, claims: Claims): Cause | undefined {
  if (code === undefined) return undefined;
  const known = fields(claims.get(`code:${code}`)?.value)['category'];
  const category = typeof known === 'string' ? known : status === 401 ? 'auth' : status === 429 ? 'rate' : status >= 500 ? 'server' : 'parameter';
  const text = Object.hasOwn(causes, category) ? causes[category] : undefined;
  return text === undefined ? undefined : { category, why: `${text} (${known === undefined ? status : code})` };
}

/** The findings of an answered probe, and the cause if it has no answer. A difference that has its cause in key or service is dropped. */
export function findingsOf(
  probe: ClaimProbe,
  reply: ProbeReply,
  claims: Claims,
  words: Vocabulary,
): { readonly findings: ClaimFinding[]; readonly cause: Cause | undefined } {
  const found = causeOf(reply, claims);
  // A probe with a wrong key is refused for it.
  const cause = probe.credential === 'wrong' && found?.category === 'auth' ? undefined : found;
  const findings = probe.judges.map(({ claim, judge }): ClaimFinding => {
    const judgement = judge(reply, words);
    const isHidden = cause !== undefined && showsOnly(judgement, cause, reply.status);
    return { id: claim.id, probe: probe.name, judgement: isHidden ? { verdict: 'unreachable', why: cause.why } : judgement };
  });
  // A probe that has shown anything is answered.
  return { findings, cause: findings.every(({ judgement }) => judgement.verdict === 'unreachable') ? cause : undefined };
}

/** True if a judgement shows only the cause of the failure. A failure inside a reply with status 200 is from the operation. */
function showsOnly(judgement: Judgement, { category }: Cause, status: number): boolean {
  if (judgement.verdict === 'holds') return judgement.byAnyReply === true && before.includes(category) && status >= 400;
  return judgement.verdict === 'unreachable' || judgement.isCertain !== true;
}

/** The verdict on a claim from its findings. `open` has the reasons of its probes that have no answer. */
export function verdictOf(
  id: string,
  findings: readonly ClaimFinding[],
  open: readonly { readonly isPart: boolean; readonly why: string }[],
): ClaimVerdict {
  const judgements = findings.map(({ judgement }) => judgement);
  const difference = judgements.find((one) => one.verdict === 'differs');
  if (difference) return { id, verdict: 'differs', expected: difference.expected, seen: difference.seen };
  const missing = open.find(({ isPart }) => isPart);
  if (missing) return { id, verdict: 'unreachable', why: missing.why };
  if (judgements.some(({ verdict }) => verdict === 'holds')) return { id, verdict: 'holds' };
  const [first] = judgements.flatMap((one) => (one.verdict === 'unreachable' ? one.why : []));
  return { id, verdict: 'unreachable', why: first ?? open[0]?.why ?? 'an earlier reply does not show it' };
}
