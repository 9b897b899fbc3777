/**
 * `npx tsx bench/workers.ts`: the workers of examples/many-workers against a fake service with a limit of four, with a worker killed every ten
 * seconds and Redis restarted once. It takes about four minutes, needs `redis-server`, and prints a table.
 *
 * Times are a tenth of those of the service: a call takes 200 ms. The kills and the restart have real times. The oracle of each run is one client
 * that knows the limit, measured right before it without outages, kills and a queue; the outages are added.
 */
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { mapCalls, newClient } from '../src/overlay/index.ts';
import { configFor, fakeKey } from '../src/testing/index.ts';
import { bundleExamples, root } from '../test/examples/bundle.ts';
import { type RedisServer, startRedis } from '../test/support/redis.ts';
import type { ServicePlan, ServiceReport } from './workers-service.ts';

const rows = 800;
const plan: ServicePlan = {
  atOnce: 4,
  serviceMs: 200,
  storms: [
    [8000, 10_000],
    [28_000, 30_000],
  ],
  usedUp: [15_000, 18_000],
};
const killEveryMs = 10_000;
const restartAtMs = 22_000;
const mostMs = 150_000;

const folder = `${root}node_modules/.cache/workers-${process.pid}`;
const lines = Array.from({ length: rows }, (_, index) => ({
  id: `r${index}`,
  tenant: `t${index % 3}`,
  request: { model: 'glm-5.3', messages: [{ role: 'user', content: `row ${index}` }] },
}));

async function message<T>(child: ChildProcess): Promise<T> {
  return (await once(child, 'message'))[0] as T;
}

function start(name: string, url: string, server: RedisServer, args: readonly string[] = []): ChildProcess {
  const child = spawn(process.execPath, [`${folder}/many-workers/${name}.mjs`, ...args], {
    stdio: ['ignore', 'ignore', 'ignore'],
    env: {
      SVC_API_KEY: fakeKey,
      SVC_ENDPOINTS: url,
      REDIS_URL: server.path,
      PLACES: String(plan.atOnce),
      LEASE_MS: '1000',
      POLL_MS: '20',
      LOCK_MS: '2000',
      RETRY_MS: '20',
    },
  });
  return child;
}

/** Milliseconds for all rows, by those of a part of them. */
async function oracleOf(): Promise<number> {
  const service = fork(`${folder}/service.mjs`);
  service.send({ ...plan, storms: [], usedUp: [1e9, 1e9] } satisfies ServicePlan);
  const client = newClient({ ...configFor(await message<string>(service)), concurrency: plan.atOnce });
  const part = lines.slice(0, rows / 5);
  const started = performance.now();
  for await (const { status } of mapCalls(part, ({ request }, ctx) => client.chat().create(ctx, request)))
    if (status === 'rejected') throw new Error('a call of the oracle failed');
  const ms = performance.now() - started;
  client.close();
  service.kill();
  return ms * 5;
}

async function run(count: number): Promise<string> {
  const oracleMs = await oracleOf();
  const server = await startRedis(true);
  const service = fork(`${folder}/service.mjs`);
  service.send(plan);
  const url = await message<string>(service);
  const redis = new Redis(server.path, { maxRetriesPerRequest: null }).on('error', () => undefined);
  const workers: ChildProcess[] = [];
  try {
    const [code] = await once(start('add', url, server, [`${folder}/rows.jsonl`]), 'exit');
    if (code !== 0) throw new Error('the producer failed');
    for (let index = 0; index < count; index++) workers.push(start('work', url, server));
    const started = performance.now();
    let [kills, restarts, answers] = [0, 0, 0];
    for (; answers < rows; answers = await redis.hlen('rows:answers')) {
      const ms = performance.now() - started;
      if (ms > mostMs) break;
      if (ms > restartAtMs && restarts === 0) {
        restarts++;
        await server.kill();
        await server.restart();
      }
      if (ms > (kills + 1) * killEveryMs) {
        const index = kills++ % count;
        workers[index]?.kill('SIGKILL');
        workers[index] = start('work', url, server);
      }
      await wait(100);
    }
    service.send('report');
    const { requests, answered, mostAtOnce, makespanMs, outageMs } = await message<ServiceReport>(service);
    const ids = new Set(await redis.hkeys('rows:answers'));
    const complete = lines.filter(({ id }) => ids.has(id)).length;
    const figures = [
      count,
      `${((100 * complete) / rows).toFixed(complete === rows ? 0 : 1)} %`,
      ids.size - complete,
      (requests / complete).toFixed(3),
      answered - complete,
      `${(makespanMs / 1000).toFixed(1)} s`,
      `${((oracleMs + outageMs) / 1000).toFixed(1)} s`,
      (makespanMs / (oracleMs + outageMs)).toFixed(2),
      mostAtOnce,
      kills,
      restarts,
      loadavg()[0]?.toFixed(1),
    ];
    return `| ${figures.join(' | ')} |`;
  } finally {
    for (const child of [...workers, service]) child.kill('SIGKILL');
    redis.disconnect();
    await server.stop();
  }
}

try {
  await bundleExamples(folder, ['many-workers/add', 'many-workers/work'], { service: 'bench/workers-service.ts' });
  writeFileSync(`${folder}/rows.jsonl`, lines.map((line) => JSON.stringify(line)).join('\n'));
  console.log(`${rows} rows, limit ${plan.atOnce}, ${plan.serviceMs} ms a call\n`);
  console.log(
    '| workers | answered | other ids | requests per success | answers paid twice | makespan | oracle | ÷ oracle | most at once | kills | restarts | load |',
  );
  console.log('| --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: |');
  for (const count of [1, 2, 4]) console.log(await run(count));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
