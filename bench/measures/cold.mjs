/** Cold start: every sample in a fresh process. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { everybody } from '../clients.mjs';
import { processOf, shuffled } from '../crew.mjs';

const script = fileURLToPath(new URL('../cold.mjs', import.meta.url));

export async function cold(name, port, ...more) {
  const { client, env } = processOf(name);
  const { stdout } = await promisify(execFile)(process.execPath, [script, client, String(port), ...more], { env, timeout: 60_000 });
  return JSON.parse(stdout);
}

export async function run({ port, plan }) {
  const names = everybody;
  const [imported, answered, modules] = [{}, {}, {}];
  for (let round = 0; round < plan.coldRounds; round++)
    for (const client of shuffled(names)) {
      const sample = await cold(client, port);
      (imported[client] ??= []).push(sample.imported);
      (answered[client] ??= []).push(sample.answered);
    }
  for (const client of names) modules[client] = [await cold(client, port, 'modules')];
  return [
    { title: 'import', unit: 'ms', samples: imported, targets: [{ most: 10 }] },
    { title: 'import and first answer', unit: 'ms', samples: answered, targets: [{ most: 35 }] },
    { title: 'modules loaded', unit: 'files', show: 'value', samples: modules, targets: [] },
  ];
}
