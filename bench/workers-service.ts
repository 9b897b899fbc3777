/** The service of `bench/workers.ts`, in a process of its own: the fake, with a limit, storms of 1305 and a window of 1308. */
import { setTimeout as wait } from 'node:timers/promises';
import { faults, startFakeService } from '../src/testing/index.ts';

/** Outages, in milliseconds since the first request. */
export interface ServicePlan {
  readonly atOnce: number;
  readonly serviceMs: number;
  readonly storms: readonly (readonly [from: number, until: number])[];
  /** Ends at the next full second, because the text of the reset has no fractions. */
  readonly usedUp: readonly [from: number, until: number];
}

export interface ServiceReport {
  readonly requests: number;
  readonly answered: number;
  readonly mostAtOnce: number;
  /** Milliseconds from the first request to the last answer. */
  readonly makespanMs: number;
  /** Milliseconds in which every request was refused. */
  readonly outageMs: number;
}

async function serve({ atOnce, serviceMs, storms, usedUp }: ServicePlan): Promise<void> {
  const fake = await startFakeService();
  let started: number | undefined;
  let [answered, last, reset] = [0, 0, 0];
  const begin = (): void => {
    if (started !== undefined) return;
    started = Date.now();
    reset = Math.ceil((started + usedUp[1]) / 1000) * 1000;
    for (const [from, until] of storms) {
      setTimeout(() => fake.capacity({ atOnce, overloaded: true }), from);
      setTimeout(() => fake.capacity({ atOnce }), until);
    }
  };
  fake.capacity({ atOnce }).fallback('chat.create', async () => {
    begin();
    const now = Date.now();
    if (started !== undefined && now >= started + usedUp[0] && now < reset) {
      // The service writes times of UTC+8.
      const text = new Date(reset + 8 * 3_600_000).toISOString().slice(0, 19).replace('T', ' ');
      return faults.error(429, '1308', `Usage limit reached. Your limit will reset at ${text}`);
    }
    await wait(serviceMs * (0.8 + 0.4 * Math.random()));
    answered++;
    last = Date.now();
    return { turn: { text: 'yes', usage: { input: 100, output: 100 } } };
  });
  process.on('message', () => {
    const first = started ?? 0;
    const outageMs = storms.reduce((sum, [from, until]) => sum + until - from, 0) + reset - first - usedUp[0];
    const report: ServiceReport = { requests: fake.requests.length, answered, mostAtOnce: fake.mostAtOnce, makespanMs: last - first, outageMs };
    process.send?.(report);
  });
  process.send?.(fake.url);
}

process.once('message', (plan: ServicePlan) => void serve(plan));
