/** Memory: of an open stream, and what calls leave behind. */
import { everybody, surfaceOf, us } from '../clients.mjs';
import { disband, interleaveFresh, startCrew } from '../crew.mjs';

export async function run({ port, plan }) {
  const held = await interleaveFresh(everybody, plan.memoryRounds, port, (worker) =>
    worker.ask('hold', { surface: surfaceOf(worker.name), count: plan.openStreams }),
  );
  const of = (kind) => Object.fromEntries(Object.entries(held).map(([client, samples]) => [client, samples.map((sample) => sample[kind])]));
  const title = `open stream, ${plan.openStreams.toLocaleString('en')}`;
  return [
    { title: `${title}: RSS`, unit: 'KB', samples: of('rss'), targets: [{ most: 1.3, than: 'undici' }] },
    { title: `${title}: heap`, unit: 'KB', samples: of('heap'), targets: [] },
    {
      title: `heap slope, ${plan.slopeCalls.toLocaleString('en')} calls`,
      unit: 'B/call',
      show: 'value',
      samples: await slopes(port, plan),
      // The peers, which do not leak, stay within this too.
      targets: [{ most: plan.slopeNoise }],
    },
  ];
}

/** One process after the other: a slope takes long and has no rounds. */
async function slopes(port, plan) {
  const samples = {};
  for (const name of plan.slopePeers ? everybody : [us, 'fetch', 'undici']) {
    const crew = await startCrew([name], port);
    try {
      samples[name] = [await crew[0].ask('slope', { surface: surfaceOf(name), count: plan.slopeCalls })];
    } finally {
      disband(crew);
    }
  }
  return samples;
}
