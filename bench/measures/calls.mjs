/** One complete reply over a socket. */
import { onSurface, surfaces } from '../clients.mjs';
import { disband, interleave, startCrew } from '../crew.mjs';

const targets = [
  { most: 0.35, than: 'best peer' },
  { most: 1.4, than: 'undici' },
];

export async function run({ port, plan }) {
  const rows = [];
  for (const surface of surfaces) {
    const crew = await startCrew([...onSurface[surface], 'again'], port);
    try {
      for (const width of [1, 64]) {
        const task = { mode: 'call', form: 'call', surface, width };
        await interleave(crew, 1, (worker) => worker.ask('cpu', { ...task, budgetMs: plan.warmMs }));
        const samples = await interleave(crew, plan.rounds, (worker) => worker.ask('cpu', { ...task, budgetMs: plan.budgetMs }));
        rows.push({ title: `call, ${surface}, ${width} at once`, unit: 'µs', samples, targets });
      }
    } finally {
      disband(crew);
    }
  }
  return rows;
}
