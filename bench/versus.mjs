/**
 * This build ÷ another build of the library, in one interleaved run.
 *
 *     npm run build && node bench/versus.mjs ../other-checkout/dist [rounds] [surface,surface]
 */
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { surfaces as all, us } from './clients.mjs';
import { disband, interleave, interleaveFresh, startCrew, startServer } from './crew.mjs';
import { cold } from './measures/cold.mjs';
import { median, over, spread } from './statistics.mjs';

const [other, rounds = '15', chosen = all.join()] = process.argv.slice(2);
if (!other) throw new Error('name the dist folder of the other build');
process.env.BENCH_BEFORE = pathToFileURL(resolve(other)).href;
const both = [us, 'before'];
const surfaces = chosen.split(',');
const server = await startServer();

function print(title, unit, samples) {
  const ratios = over(samples[us], samples.before);
  const figure = (name) => `${median(samples[name]).toFixed(1)} ${unit}`;
  console.log(
    `${title.padEnd(34)} ${figure('before').padStart(12)} ${figure(us).padStart(12)} ${median(ratios).toFixed(2).padStart(6)} ±${(spread(ratios) * 100).toFixed(0)}%`,
  );
}

async function cpu(title, task) {
  const crew = await startCrew(both, server.port);
  try {
    await interleave(crew, 1, (worker) => worker.ask('cpu', { ...task, budgetMs: 1500 }));
    print(title, 'µs', await interleave(crew, Number(rounds), (worker) => worker.ask('cpu', { ...task, budgetMs: 300 })));
  } finally {
    disband(crew);
  }
}

async function starts() {
  const samples = await interleaveFresh(both, Number(rounds), server.port, async ({ name }) => cold(name, server.port));
  for (const [kind, title] of [
    ['imported', 'import'],
    ['answered', 'import and first answer'],
  ])
    print(title, 'ms', Object.fromEntries(both.map((name) => [name, samples[name].map((sample) => sample[kind])])));
}

try {
  console.log(`${''.padEnd(34)} ${'before'.padStart(12)} ${'now'.padStart(12)}  now ÷ before`);
  for (const surface of surfaces) {
    for (const width of [1, 64]) await cpu(`call, ${surface}, ${width} at once`, { mode: 'call', form: 'call', surface, width });
    await cpu(`stream, ${surface}, 64 KB blocks`, { mode: 'blocks', form: 'stream', surface });
    await cpu(`stream, ${surface}, blocks, stub`, { mode: 'blocks', form: 'stream', surface, stub: true });
    const paced = await interleaveFresh(both, 5, server.port, (worker) => worker.ask('paced', { surface, streams: 40, count: 160, uncounted: 60 }));
    print(`stream, ${surface}, paced, an event`, 'µs', paced);
  }
  const held = await interleaveFresh(both, 3, server.port, (worker) => worker.ask('hold', { surface: 'chat', count: 1000 }));
  print('open stream: heap', 'KB', Object.fromEntries(both.map((name) => [name, held[name].map(({ heap }) => heap)])));
  await starts();
} finally {
  server.close();
}
