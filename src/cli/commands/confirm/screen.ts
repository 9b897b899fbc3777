// The plan and the result of a run, as text and as JSON.
import type { Paint } from '../../terminal/terminal.ts';
import { mostRequests, mostUsd, type ProbePlan, unprobed } from './plan.ts';
import type { ClaimProbe, KeyKind } from './probes/probe.ts';
import { whyNone } from './probes/table.ts';
import type { ClaimVerdict } from './verdicts.ts';

export interface Scope {
  readonly plan: ProbePlan;
  readonly probes: readonly ClaimProbe[];
  readonly chosen: ReadonlySet<string>;
  readonly kind: KeyKind;
}

interface PlanJson {
  readonly requests: readonly {
    readonly probe: string;
    readonly method: string;
    readonly host: string;
    readonly path: string;
    readonly usd: number | null;
    readonly claims: number;
  }[];
  readonly hosts: Readonly<Record<string, number>>;
  readonly largest_usd: number;
  /** Requests to models without a list price, which are not in `largest_usd`. */
  readonly without_price: number;
  readonly left_out: readonly { readonly why: string; readonly probes: number; readonly claims: number }[];
  readonly without_probe: readonly { readonly why: string; readonly claims: number }[];
}

export function planJson({ plan, probes, chosen }: Scope): PlanJson {
  const hosts: Record<string, number> = {};
  for (const { url } of plan.send) hosts[url.host] = (hosts[url.host] ?? 0) + 1;
  const total = plan.send.reduce((sum, { usd = 0 }) => sum + usd, 0);
  const judged = new Set(plan.send.flatMap(({ probe }) => probe.judges.map(({ claim }) => claim.id)));
  const reasons = [...new Set(plan.left.map(({ why }) => why))];
  const claimsOf = ({ judges }: ClaimProbe): string[] => judges.map(({ claim }) => claim.id).filter((id) => chosen.has(id));
  return {
    requests: plan.send.map(({ probe, url, usd }) => ({
      probe: probe.name,
      method: probe.method,
      host: url.host,
      path: url.pathname,
      usd: usd === undefined ? null : rounded(usd),
      claims: claimsOf(probe).length,
    })),
    hosts,
    largest_usd: rounded(total),
    without_price: plan.send.filter(({ usd }) => usd === undefined).length,
    left_out: reasons.map((why) => {
      const left = plan.left.filter((one) => one.why === why).map(({ probe }) => probe);
      return { why, probes: left.length, claims: new Set(left.flatMap(claimsOf).filter((id) => !judged.has(id))).size };
    }),
    without_probe: [...unprobed(chosen, probes, whyNone)].map(([why, claims]) => ({ why, claims })),
  };
}

function rounded(usd: number): number {
  return Math.ceil(usd * 1e6) / 1e6;
}

export function planText(scope: Scope): string {
  const { requests, hosts, largest_usd: most, without_price: unknown, left_out: left, without_probe: none } = planJson(scope);
  const more = unknown === 0 ? '' : `, without ${unknown} requests to models that have no price`;
  const bound = `Without --all: at most ${mostRequests} requests and ${mostUsd} USD.`;
  const cost = scope.kind === 'plan' ? 'They draw on the plan.' : `Largest cost: ${most} USD, by list prices${more}. ${bound}`;
  const claims = new Set(scope.plan.send.flatMap(({ probe }) => probe.judges.map(({ claim }) => claim.id)).filter((id) => scope.chosen.has(id))).size;
  return [
    `${requests.length} requests judge ${claims} claims:`,
    ...requests.map(({ probe, method, host, path, usd }) => `  ${method} ${host} ${path}  ${probe}${usd === 0 ? '' : `  ${usd ?? '?'} USD`}`),
    ...Object.entries(hosts).map(([host, count]) => `To ${host}: ${count}.`),
    cost,
    ...left.map(({ why, probes, claims: count }) => `Left out: ${probes} requests (${count} claims): ${why}.`),
    ...none.map(({ why, claims: count }) => `Not judged: ${count} claims: ${why}.`),
    '',
  ].join('\n');
}

/** The question before the first request: the number, the hosts and the cost are in it, because notes can be turned off. */
export function questionText(scope: Scope, key: string): string {
  const { requests, hosts, largest_usd: most, without_price: unknown } = planJson(scope);
  const cost = scope.kind === 'plan' ? 'on the plan' : `for at most ${most} USD${unknown === 0 ? '' : ' and more for models without a price'}`;
  return `Send ${requests.length} requests to ${Object.keys(hosts).join(' and ')} with ${key}, ${cost}?`;
}

export interface ConfirmReport {
  readonly host: string;
  readonly key: KeyKind;
  readonly date: string;
  /** Path of the bundle. Undefined if there was no answer. */
  readonly bundle: string | undefined;
  readonly verdicts: readonly ClaimVerdict[];
}

/** A line for each claim, then the counts. */
export function reportText({ verdicts, bundle }: ConfirmReport, paint: Paint): string {
  const width = Math.max(5, ...verdicts.map(({ id }) => id.length));
  const lines = verdicts.map(({ id, verdict, expected, seen, why }) => {
    const name = id.padEnd(width);
    if (verdict === 'holds') return `${name}  ${paint('green', 'holds')}`;
    const reason = why?.startsWith('not reachable') ? why : `not reachable with this key: ${why ?? ''}`;
    if (verdict === 'unreachable') return `${name}  ${paint('dim', reason)}`;
    return `${name}  ${paint('red', 'differs')}: expected ${text(expected)}, seen ${text(seen)}`;
  });
  const count = (wanted: ClaimVerdict['verdict']): number => verdicts.filter(({ verdict }) => verdict === wanted).length;
  const counts = `${count('holds')} claims hold, ${count('differs')} differ, ${count('unreachable')} are not reachable with this key.`;
  return [...lines, '', counts, ...(bundle === undefined ? [] : [`Bundle: ${bundle}`]), ''].join('\n');
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}
