import { Learner, type Start } from '../../src/overlay/concurrency/learner.ts';
import type { GateOutcome } from '../../src/overlay/errors/gate-state.ts';

/** A service under a clock of its own. All times are in units of `Config.retryDelay` = 1. */
export interface Plan {
  readonly calls: number;
  /** The service's limit at a time. */
  readonly limitAt: (now: number) => number;
  /** True while all requests are refused as overload. */
  readonly isOverloaded?: (now: number) => boolean;
  /** Places that others hold at a time. */
  readonly foreignAt?: (now: number) => number;
  readonly serviceTime?: number;
  readonly refusalTime?: number;
  readonly start?: number;
  readonly max?: number;
  readonly attempts?: number;
  /** Longest time between the start of a request and its arrival at the service, so that requests overtake each other. */
  readonly travelTime?: number;
  /** From 0 to 1, over and over. */
  readonly random?: () => number;
}

export interface Run {
  readonly successes: number;
  readonly requests: number;
  readonly makespan: number;
  /** Smallest and largest limit of the learner. */
  readonly limits: readonly [number, number];
  /** Most requests in flight of which one was refused. */
  readonly learner: Learner;
}

interface Job {
  attempt: number;
  ticket: number;
}

/** Runs all calls at once through a Learner, as gate and attempt loop do, with a queue in the order of tickets. */
export function simulate(plan: Plan): Run {
  const { calls, limitAt, serviceTime = 5, refusalTime = 0.1, start = 2, max = 1e9, attempts = 4, travelTime = 0, random = (): number => 0.5 } = plan;
  const learner = new Learner(Math.min(start, max), 1);
  const refused = new Set<Job>();
  const line: Job[] = Array.from({ length: calls }, (_, ticket) => ({ attempt: 0, ticket }));
  let tickets = calls;
  const events: { readonly at: number; readonly act: () => void }[] = [];
  const later = (at: number, act: () => void): void => {
    events.push({ at, act });
    events.sort((one, other) => one.at - other.at);
  };
  let [now, inFlight, busy, successes, requests, makespan] = [0, 0, 0, 0, 0, 0];
  const limits: [number, number] = [learner.limit, learner.limit];
  const end = (job: Job, begun: Start, outcome: GateOutcome): void => {
    inFlight--;
    learner.leave(begun);
    refused.delete(job);
    const ceiling = line.length > 0 ? max : 0;
    const yields = learner.learn(begun, outcome, { now, others: inFlight, ceiling, retried: refused.size > 0, random: random() });
    limits[0] = Math.min(limits[0], learner.limit);
    limits[1] = Math.max(limits[1], learner.limit);
    makespan = now;
    if (outcome === 'ok') successes++;
    else if (++job.attempt < attempts) {
      if (outcome === 'refused') refused.add(job);
      if (yields) job.ticket = tickets++;
      later(now + 2 ** (job.attempt - 1) * (outcome === 'overloaded' ? 4 : 1), () => {
        line.push(job);
        line.sort((one, other) => one.ticket - other.ticket);
      });
    }
  };
  const send = (job: Job): void => {
    inFlight++;
    requests++;
    const begun = learner.start(now);
    if (travelTime === 0) arrive(job, begun);
    else later(now + travelTime * random(), () => arrive(job, begun));
  };
  const arrive = (job: Job, begun: Start): void => {
    const refusal: GateOutcome | undefined = plan.isOverloaded?.(now)
      ? 'overloaded'
      : busy + (plan.foreignAt?.(now) ?? 0) >= limitAt(now)
        ? 'refused'
        : undefined;
    if (refusal) return later(now + refusalTime, () => end(job, begun, refusal));
    busy++;
    later(now + serviceTime * (0.8 + 0.4 * random()), () => {
      busy--;
      end(job, begun, 'ok');
    });
  };
  for (let steps = 0; ; steps++) {
    if (steps > 1e6) throw new Error('the simulation does not end');
    for (let job = line[0]; job && inFlight < max; job = line[0]) {
      const at = learner.startsAt(inFlight);
      if (at === undefined) break;
      if (at > now) {
        later(at, () => {});
        break;
      }
      line.shift();
      send(job);
    }
    const next = events.shift();
    if (!next) break;
    now = next.at;
    next.act();
  }
  if (line.length > 0) throw new Error(`${line.length} calls were never started`);
  return { successes, requests, makespan, limits, learner };
}
