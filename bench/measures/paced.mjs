/** The real case: an event at a time, on 40 streams; and once a second, on thousands. */
import { onSurface, surfaces, us } from '../clients.mjs';
import { disband, interleave, interleaveFresh, startCrew } from '../crew.mjs';

/** As many as it takes until the compiler is done with the client's code. */
const warmEvents = 250;

export async function run({ port, plan }) {
  const rows = [];
  for (const surface of surfaces) {
    const crew = await startCrew(onSurface[surface], port);
    const task = { surface, streams: 40, count: plan.pacedEvents, uncounted: plan.pacedUncounted };
    try {
      // All at once: this is not measured yet, and each of them mostly waits.
      await Promise.all(crew.map((worker) => worker.ask('paced', { ...task, count: warmEvents })));
      rows.push({
        title: `stream, ${surface}, paced, 40 at once`,
        unit: 'µs/event',
        samples: await interleave(crew, plan.pacedRounds, (worker) => worker.ask('paced', task)),
        targets: [
          { most: 1, than: 'undici' },
          { most: 0.6, than: 'best full client' },
        ],
      });
    } finally {
      disband(crew);
    }
    if (plan.trickledRounds > 0) rows.push(await trickled(surface, port, plan));
  }
  return rows;
}

/** Objects of so many streams do not stay in the processor's caches, unlike the objects of 40. */
async function trickled(surface, port, { trickledStreams: streams, trickledRounds }) {
  const task = { mode: 'trickled', surface, streams, count: 20, uncounted: 6 };
  return {
    title: `stream, ${surface}, an event a second, ${streams.toLocaleString('en')} at once`,
    unit: 'µs/event',
    samples: await interleaveFresh([us, 'undici', 'node-http'], trickledRounds, port, (worker) => worker.ask('paced', task)),
    targets: [{ most: 1.15, than: 'undici' }],
  };
}
