/**
 * The library next to other clients and to code that you could write by hand.
 *
 *     npm run bench                        quick, under 3 minutes
 *     npm run bench -- --measure streams   one measure, or several with commas
 *     npm run bench -- --full --write      long, and bench/RESULTS.md
 */
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { startServer } from './crew.mjs';
import { full, quick } from './plans.mjs';
import { writeResults } from './results.mjs';
import { aligned, cells, heading, noise } from './table.mjs';

const names = ['calls', 'stub', 'streams', 'paced', 'first', 'memory', 'cold', 'size', 'upload', 'pure'];

const { values: options } = parseArgs({
  options: { measure: { type: 'string' }, full: { type: 'boolean', default: false }, write: { type: 'boolean', default: false } },
});
const chosen = options.measure?.split(',') ?? names;
const unknown = chosen.find((name) => !names.includes(name));
if (unknown !== undefined) {
  console.error(`there is no measure ${unknown}; there are ${names.join(', ')}`);
  process.exit(2);
}
if (options.write && options.measure) {
  console.error('--write takes a whole run: leave --measure out');
  process.exit(2);
}

const plan = options.full ? full : quick;
// The machine's load before this began.
const load = loadavg()[0].toFixed(1);
const server = await startServer();
const rows = [];
const start = performance.now();
try {
  for (const name of chosen) {
    process.stderr.write(`${name} … `);
    const began = performance.now();
    const { run } = await import(`./measures/${name}.mjs`);
    try {
      rows.push(...(await run({ port: server.port, plan })));
      process.stderr.write(`${((performance.now() - began) / 1000).toFixed(0)} s\n`);
    } catch (error) {
      // The other measures are worth having all the same.
      console.error(error);
      process.exitCode = 1;
    }
  }
} finally {
  server.close();
}

const table = [heading, ...rows.map(cells)];
console.log(
  `\nCPU (user + system) unless the row says otherwise. First column: ${heading[1]} itself. Others: ${heading[1]} ÷ them, so below 1 is cheaper;`,
);
console.log(
  '“added”, “slope”, “modules” and “peak” rows have each client’s own figure. Medians of round-by-round ratios ± half the distance of the quartiles.\n',
);
console.log(aligned(table).join('\n'));
const same = noise(rows);
if (same.length > 0) console.log(`\nNoise, the same client in two processes: ${same.join('; ')}`);
console.log(`${((performance.now() - start) / 1000).toFixed(0)} s; load of the machine before: ${load}`);
if (process.exitCode) console.error('a measure failed: nothing is written');
else if (options.write) await writeResults({ table, noise: same, load, form: options.full ? 'full' : 'quick', plan });
