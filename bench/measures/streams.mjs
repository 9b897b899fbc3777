/** Streams in blocks of 64 KB and with an event a write, over a socket and from a stub; and what the accumulating helper adds. */
import { onSurface, stubbed, surfaces, withCollect } from '../clients.mjs';
import { disband, interleave, startCrew } from '../crew.mjs';
import { minus, perEvent } from '../statistics.mjs';
import { blockEvents } from '../wire/corpus.mjs';

async function measure(clients, port, plan, task) {
  const crew = await startCrew(clients, port);
  try {
    await interleave(crew, 1, (worker) => worker.ask('cpu', { ...task, budgetMs: plan.warmMs }));
    const samples = await interleave(crew, plan.rounds, (worker) => worker.ask('cpu', { ...task, budgetMs: plan.budgetMs }));
    return perEvent(samples, blockEvents);
  } finally {
    disband(crew);
  }
}

export async function run({ port, plan }) {
  const rows = [];
  for (const surface of surfaces) {
    const stream = { mode: 'blocks', form: 'stream', surface };
    rows.push({
      title: `stream, ${surface}, 64 KB blocks, socket`,
      unit: 'µs/event',
      samples: await measure([...onSurface[surface], 'again'], port, plan, stream),
      targets: [
        { most: 1.2, than: 'node-http' },
        { most: 0.45, than: 'best full client' },
      ],
    });
    rows.push({
      title: `stream, ${surface}, an event a write`,
      unit: 'µs/event',
      samples: await measure(onSurface[surface], port, plan, { ...stream, mode: 'writes' }),
      targets: [{ most: 1, than: 'best full client' }],
    });
    rows.push({
      title: `stream, ${surface}, 64 KB blocks, stub`,
      unit: 'µs/event',
      samples: await measure([...stubbed[surface], 'floor'], port, plan, { ...stream, stub: true }),
      targets: [{ most: 1.5, than: 'floor' }],
    });
    rows.push({
      title: `stream, ${surface}, helper: added`,
      unit: 'µs/event',
      show: 'value',
      samples: await helper(surface, port, plan),
      targets: [{ most: 0.3 }],
    });
  }
  return rows;
}

/** Both forms in one process and one round, from the stub: the difference is small. */
async function helper(surface, port, plan) {
  const crew = await startCrew(withCollect[surface], port);
  const ask = (worker, form, budgetMs) => worker.ask('cpu', { mode: 'blocks', form, surface, stub: true, budgetMs });
  const both = async (worker, budgetMs) => {
    const forms = Math.random() < 0.5 ? ['stream', 'collect'] : ['collect', 'stream'];
    const cost = {};
    for (const form of forms) cost[form] = await ask(worker, form, budgetMs);
    return cost;
  };
  try {
    await interleave(crew, 1, (worker) => both(worker, plan.warmMs));
    const samples = await interleave(crew, plan.rounds, (worker) => both(worker, plan.budgetMs));
    const added = Object.entries(samples).map(([client, costs]) => [
      client,
      minus(
        costs.map(({ collect }) => collect),
        costs.map(({ stream }) => stream),
      ),
    ]);
    return perEvent(Object.fromEntries(added), blockEvents);
  } finally {
    disband(crew);
  }
}
