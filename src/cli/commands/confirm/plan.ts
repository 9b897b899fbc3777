// The requests of a run: which probes are sent, to which host, at which largest cost, and which are left out.
import { estimateCost } from 'modelsvc';
import type { ClaimProbe, KeyKind } from './probes/probe.ts';

/** Bounds of a run without `--all`. */
export const mostRequests = 60;
export const mostUsd = 0.01;

export interface Planned {
  readonly probe: ClaimProbe;
  readonly url: URL;
  /** Largest cost in US dollars, by list prices. Undefined without a price. */
  readonly usd: number | undefined;
}

export interface LeftOut {
  readonly probe: ClaimProbe;
  readonly why: string;
}

export interface ProbePlan {
  readonly send: readonly Planned[];
  readonly left: readonly LeftOut[];
}

export interface PlanOptions {
  readonly probes: readonly ClaimProbe[];
  readonly selected: ReadonlySet<string>;
  readonly kind: KeyKind;
  readonly isAll: boolean;
  /** Names of probes that have an answer already. */
  readonly answered: ReadonlySet<string>;
  /** The URL of a probe, or why its root cannot be used. */
  urlOf(probe: ClaimProbe): Promise<URL | string>;
}

export async function planOf({ probes, selected, kind, isAll, answered, urlOf }: PlanOptions): Promise<ProbePlan> {
  const send: Planned[] = [];
  const left: LeftOut[] = [];
  let total = 0;
  for (const probe of probes) {
    if (answered.has(probe.name) || !probe.judges.some(({ claim }) => selected.has(claim.id))) continue;
    if (!(probe.keys ?? ['payg']).includes(kind)) {
      left.push({ probe, why: kind === 'plan' ? 'a plan key may not do it' : 'only a plan key can do it' });
      continue;
    }
    const url = await urlOf(probe);
    const usd = kind === 'plan' ? 0 : largestCost(probe);
    const bound = isAll ? undefined : boundOf(send.length, usd === undefined ? undefined : total + usd);
    if (typeof url === 'string' || bound !== undefined) {
      left.push({ probe, why: typeof url === 'string' ? url : (bound ?? '') });
      continue;
    }
    total += usd ?? 0;
    send.push({ probe, url, usd });
  }
  return { send, left };
}

/** The bound that one more request would break. */
function boundOf(requests: number, usd: number | undefined): string | undefined {
  if (usd === undefined) return 'its model has no price (--all sends it)';
  if (usd > mostUsd) return `more than ${mostUsd} USD if the service accepted it (--all sends it)`;
  return requests < mostRequests ? undefined : `more than ${mostRequests} requests (--all sends it)`;
}

/** A token has at least one byte. Undefined without a list price. */
export function largestCost({ work, body }: ClaimProbe): number | undefined {
  if (work === undefined) return 0;
  return estimateCost(work.model, { prompt_tokens: JSON.stringify(body ?? {}).length, completion_tokens: work.output });
}

/** Selected claims that no probe judges, by the reason. */
export function unprobed(selected: ReadonlySet<string>, probes: readonly ClaimProbe[], whyNone: (id: string) => string): ReadonlyMap<string, number> {
  const judged = new Set(probes.flatMap(({ judges }) => judges.map(({ claim }) => claim.id)));
  const counts = new Map<string, number>();
  for (const id of selected) if (!judged.has(id)) counts.set(whyNone(id), (counts.get(whyNone(id)) ?? 0) + 1);
  return counts;
}
