/** Work without a wire, which has no peer: tool schemas, request validation, the generator. */
import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { us } from '../clients.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const execute = promisify(execFile);

export async function run({ plan }) {
  const { stdout } = await execute(process.execPath, [join(root, 'bench/pure.mjs'), String(plan.rounds)], { timeout: 60_000 });
  const cost = JSON.parse(stdout);
  const row = (title, unit, samples) => ({ title, unit, show: 'value', samples: { [us]: samples }, targets: [] });
  return [
    row('tool schemas, 200 typical tools', 'ms', cost.typical),
    row('tool schemas, 200 typical tools, sent again', 'ms', cost.again),
    row('tool schemas, the exploding input', 'ms', cost.exploding),
    row('validation, small chat request', 'µs', cost.small),
    row('validation, 200 messages and 20 tools', 'µs', cost.large),
    row('generate, from YAML to TypeScript', 's', await generate(plan.generateRounds)),
  ];
}

async function generate(rounds) {
  const tsx = createRequire(join(root, 'package.json')).resolve('tsx/cli');
  const seconds = [];
  for (let round = 0; round < rounds; round++) {
    const start = performance.now();
    // It builds all files and writes none; stale files do not matter here.
    await execute(process.execPath, [tsx, join(root, 'scripts/generate.ts'), '--check'], { cwd: root, timeout: 120_000 }).catch((error) => {
      if (error.code !== 1) throw error;
    });
    seconds.push((performance.now() - start) / 1000);
  }
  return seconds;
}
