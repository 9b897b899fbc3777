/** The cost that a client adds to fetch: a call with a stub in fetch's place, less the same by hand. */
import { stubbed, surfaces } from '../clients.mjs';
import { disband, interleave, startCrew } from '../crew.mjs';
import { minus } from '../statistics.mjs';

export async function run({ port, plan }) {
  const rows = [];
  for (const surface of surfaces) {
    const crew = await startCrew(stubbed[surface], port);
    const task = { mode: 'call', form: 'call', surface, stub: true };
    try {
      await interleave(crew, 1, (worker) => worker.ask('cpu', { ...task, budgetMs: plan.warmMs }));
      const { fetch, ...whole } = await interleave(crew, plan.rounds, (worker) => worker.ask('cpu', { ...task, budgetMs: plan.budgetMs }));
      const samples = Object.fromEntries(Object.entries(whole).map(([client, values]) => [client, minus(values, fetch)]));
      rows.push({ title: `call, ${surface}, stub: added to fetch`, unit: 'µs', show: 'value', samples, targets: [{ most: 15 }] });
    } finally {
      disband(crew);
    }
  }
  return rows;
}
