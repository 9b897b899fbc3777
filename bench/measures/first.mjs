/** Time to the first text of a stream. */
import { onSurface, surfaces } from '../clients.mjs';
import { disband, interleave, startCrew } from '../crew.mjs';

export async function run({ port, plan }) {
  const rows = [];
  for (const surface of surfaces) {
    const crew = await startCrew(onSurface[surface], port);
    const task = { surface, count: plan.firstStreams };
    try {
      await interleave(crew, 1, (worker) => worker.ask('first', task));
      rows.push({
        title: `first token, ${surface}, wall p50`,
        unit: 'µs',
        samples: await interleave(crew, plan.rounds, (worker) => worker.ask('first', task)),
        targets: [{ most: 0.6, than: 'fetch' }],
      });
    } finally {
      disband(crew);
    }
  }
  return rows;
}
