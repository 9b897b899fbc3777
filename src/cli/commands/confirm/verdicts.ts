// The findings of the probes of a claim, and the verdict that follows.
import type { Claims } from './claims.ts';
import type { Judgement, Probe } from './probes/probe.ts';
import { fields, type ProbeReply, type Vocabulary } from './reply.ts';

/** A judgement of one claim by one probe. */
export interface Finding {
  readonly id: string;
  readonly probe: string;
  readonly judgement: Judgement;
}

export interface Verdict {
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

/** Categories whose failure another key, or another time, may not have. */
export function causeOf({ code, status }: ProbeReply, claims: Claims): string | undefined {
  if (code === undefined) return undefined;
  const known = fields(claims.get(`code:${code}`)?.value)['category'];
  const category = typeof known === 'string' ? known : status === 401 ? 'auth' : status === 429 ? 'rate' : status >= 500 ? 'server' : 'parameter';
  return Object.hasOwn(causes, category) ? `${causes[category]} (${known === undefined ? status : code})` : undefined;
}

/** The findings of an answered probe. A difference that has its cause in key or service shows nothing. */
export function findingsOf(
  probe: Probe,
  reply: ProbeReply,
  claims: Claims,
  words: Vocabulary,
): { readonly findings: Finding[]; readonly cause: string | undefined } {
  const found = causeOf(reply, claims);
  // A probe with a wrong key is refused for it.
  const cause = probe.credential === 'wrong' && found?.startsWith(causes['auth'] ?? '') ? undefined : found;
  const findings = probe.judges.map(({ claim, judge }): Finding => {
    const judgement = judge(reply, words);
    const isHidden =
      cause !== undefined && (judgement.verdict === 'unreachable' || (judgement.verdict === 'differs' && judgement.isCertain !== true));
    return { id: claim.id, probe: probe.name, judgement: isHidden ? { verdict: 'unreachable', why: cause } : judgement };
  });
  // A probe that has shown anything is answered.
  return { findings, cause: findings.every(({ judgement }) => judgement.verdict === 'unreachable') ? cause : undefined };
}

/** The verdict on a claim from its findings. `open` has the reasons of its probes that have no answer. */
export function verdictOf(id: string, findings: readonly Finding[], open: readonly { readonly isPart: boolean; readonly why: string }[]): Verdict {
  const judgements = findings.map(({ judgement }) => judgement);
  const difference = judgements.find((one) => one.verdict === 'differs');
  if (difference) return { id, verdict: 'differs', expected: difference.expected, seen: difference.seen };
  const missing = open.find(({ isPart }) => isPart);
  if (missing) return { id, verdict: 'unreachable', why: missing.why };
  if (judgements.some(({ verdict }) => verdict === 'holds')) return { id, verdict: 'holds' };
  const [first] = judgements.flatMap((one) => (one.verdict === 'unreachable' ? one.why : []));
  return { id, verdict: 'unreachable', why: first ?? open[0]?.why ?? 'an earlier reply does not show it' };
}
