/** A file of 50 MB from disk, in a fresh process each time. */
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { interleaveFresh } from '../crew.mjs';

const clients = ['modelsvc', 'openai', 'anthropic', 'openapi-fetch', 'fetch', 'undici'];
const megabyte = 1024 * 1024;

export async function run({ port, plan }) {
  const folder = await mkdtemp(join(tmpdir(), 'modelsvc-bench-'));
  try {
    const path = join(folder, 'upload.jsonl');
    await writeLines(path, 50);
    const samples = await interleaveFresh(clients, plan.uploadRounds, port, (worker) => worker.ask('upload', { path }, 60_000));
    const of = (kind) => Object.fromEntries(clients.map((client) => [client, samples[client].map((sample) => sample[kind])]));
    return [
      { title: 'upload 50 MB', unit: 'ms', samples: of('cpu'), targets: [{ most: 0.5, than: 'best peer' }] },
      { title: 'upload 50 MB: added peak', unit: 'MB', show: 'value', samples: of('peak'), targets: [{ most: 10 }] },
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function writeLines(path, megabytes) {
  const line = `${JSON.stringify({ custom_id: 'request-1', method: 'POST', url: '/v4/chat/completions', body: { model: 'glm-4.6' } })}\n`;
  const block = Buffer.from(line.repeat(Math.ceil(megabyte / line.length)).slice(0, megabyte));
  const file = await open(path, 'w');
  try {
    for (let written = 0; written < megabytes; written++) await file.write(block);
  } finally {
    await file.close();
  }
}
