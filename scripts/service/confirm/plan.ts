// Which entries are sent, at which largest cost, and which are left out.
import { type Entry, type KeyKind, largestCost } from './entries.ts';

/** Bounds of a run without `--all`. */
export const mostRequests = 60;
export const mostUsd = 0.01;

export interface Planned {
  readonly entry: Entry;
  /** Undefined without a price. */
  readonly usd: number | undefined;
}

export interface Plan {
  readonly send: readonly Planned[];
  /** Entries by the reason for which they are left out. */
  readonly left: ReadonlyMap<string, readonly Entry[]>;
}

export function planOf(entries: readonly Entry[], kind: KeyKind, isAll: boolean, done: ReadonlySet<string>): Plan {
  const send: Planned[] = [];
  const left = new Map<string, Entry[]>();
  let [requests, total] = [0, 0];
  for (const entry of entries) {
    const usd = kind === 'plan' ? 0 : largestCost(entry);
    const why = done.has(entry.name) ? 'answered in this file' : whyNot(entry, kind, isAll, requests + entry.requests, usd && total + usd);
    if (why !== undefined) {
      left.set(why, [...(left.get(why) ?? []), entry]);
      continue;
    }
    requests += entry.requests;
    total += usd ?? 0;
    send.push({ entry, usd });
  }
  return { send, left };
}

function whyNot({ keys }: Entry, kind: KeyKind, isAll: boolean, requests: number, usd: number | undefined): string | undefined {
  if (!keys.includes(kind)) return kind === 'plan' ? 'a plan key may not do it' : 'only a plan key can do it';
  if (isAll) return undefined;
  if (usd === undefined) return 'its model has no price (--all sends it)';
  if (usd > mostUsd) return `more than ${mostUsd} USD if the service accepted it (--all sends it)`;
  return requests > mostRequests ? `more than ${mostRequests} requests (--all sends it)` : undefined;
}

export function requestsIn({ send }: Plan): number {
  return send.reduce((sum, { entry }) => sum + entry.requests, 0);
}

export function usdText({ send }: Plan): string {
  const total = Math.ceil(send.reduce((sum, { usd = 0 }) => sum + usd, 0) * 1e6) / 1e6;
  const unknown = send.filter(({ usd }) => usd === undefined).length;
  return `${total} USD${unknown === 0 ? '' : `, and more for ${unknown} of them without a price`}`;
}

export function planText(plan: Plan, host: string, kind: KeyKind): string {
  const lines = plan.send.map(({ entry, usd }) => {
    const cost = usd === 0 ? '' : `  ${usd === undefined ? '?' : Math.ceil(usd * 1e6) / 1e6} USD`;
    return `  ${entry.name}${entry.requests > 1 ? `  (${entry.requests} requests)` : ''}${cost}`;
  });
  const left = [...plan.left].map(([why, entries]) => `Left out: ${entries.length} (${why}): ${entries.map(({ name }) => name).join(', ')}.`);
  const cost = kind === 'plan' ? 'They draw on the plan.' : `Largest cost, by list prices: ${usdText(plan)}.`;
  return [`At most ${requestsIn(plan)} requests to ${host}:`, ...lines, cost, ...left].join('\n');
}
