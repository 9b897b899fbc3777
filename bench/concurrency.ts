/**
 * `npx tsx bench/concurrency.ts`: many calls on one key against a service whose limit the client does not know, for each client that a reader
 * may have. Server, clients and this program are separate processes. With `--write` the table goes to RESULTS-concurrency.md.
 *
 * Times are a twentieth of the service's: a call takes 50 ms, and retry delays are shortened alike.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { chatCreate } from '../src/generated/routes.ts';
import { doorOf } from '../src/overlay/call/attempt/doors.ts';
import { Cancellation } from '../src/overlay/call/cancellation.ts';
import { buildCall } from '../src/overlay/call/request/build-call.ts';
import { resolveConfig } from '../src/overlay/call/settings/settings.ts';
import { type Client, defineTool, newClient } from '../src/overlay/index.ts';
import type { Phase, ServicePlan } from './concurrency-service.ts';

const scale = 20;
const serviceMs = 50;
const rounds = 3;

type ClientName = "gate 'auto'" | 'modelsvc default' | 'openai default' | 'p-limit(4)' | 'oracle';

interface Scenario {
  readonly name: string;
  readonly phases: readonly Phase[];
  readonly calls: number;
  readonly processes?: number;
  readonly isLoop?: boolean;
  readonly clients: readonly ClientName[];
}

const everyone: readonly ClientName[] = ["gate 'auto'", 'modelsvc default', 'openai default', 'p-limit(4)', 'oracle'];
const steady = (limit: number): readonly Phase[] => [{ from: 0, limit }];

const scenarios: readonly Scenario[] = [
  { name: 'limit 1', phases: steady(1), calls: 200, clients: everyone },
  { name: 'limit 4', phases: steady(4), calls: 200, clients: everyone },
  { name: 'limit 16', phases: steady(16), calls: 200, clients: everyone },
  {
    name: 'limit 4→2→8',
    phases: [
      { from: 0, limit: 4 },
      { from: 16 * serviceMs, limit: 2 },
      { from: 32 * serviceMs, limit: 8 },
    ],
    calls: 200,
    clients: everyone,
  },
  { name: 'two processes, limit 4', phases: steady(4), calls: 200, processes: 2, clients: ["gate 'auto'", 'modelsvc default', 'p-limit(4)'] },
  {
    name: 'limit 4, 15 s of overload',
    phases: [
      { from: 0, limit: 4 },
      { from: 1000, limit: 4, overloaded: true },
      { from: 1000 + 15_000 / scale, limit: 4 },
    ],
    calls: 200,
    clients: ["gate 'auto'", 'modelsvc default', 'openai default', 'p-limit(4)'],
  },
  { name: '20 nested tool loops, limit 1', phases: steady(1), calls: 20, isLoop: true, clients: ["gate 'auto'", 'modelsvc default'] },
];

interface Job {
  readonly client: ClientName;
  readonly url: string;
  readonly calls: number;
  readonly isLoop: boolean;
  readonly phases: readonly Phase[];
}

interface Outcome {
  readonly successes: number;
  readonly makespan: number;
  readonly p95: number;
}

/** At most `limit()` of the works at once, as p-limit does it. */
function bounded(limit: () => number): (work: () => Promise<void>) => Promise<void> {
  const waiting: (() => void)[] = [];
  let running = 0;
  const advance = (): void => {
    while (running < limit() && waiting.length > 0) {
      running++;
      waiting.shift()?.();
    }
  };
  return async (work) => {
    await new Promise<void>((resolve) => {
      waiting.push(resolve);
      advance();
    });
    try {
      await work();
    } finally {
      running--;
      advance();
    }
  };
}

const config = { apiKey: 'bench-key', retryDelay: 200 / scale };
const messages = [{ role: 'user' as const, content: 'hi' }];

/** One call of a client. */
async function callOf({ client: name, url, isLoop, phases }: Job): Promise<() => Promise<void>> {
  if (name === 'openai default') {
    const { default: OpenAI } = (await import('openai' as string)) as { default: new (options: object) => OpenAIClient };
    const openai = new OpenAI({ apiKey: 'bench-key', baseURL: url });
    const delay = openai.calculateDefaultRetryTimeoutMillis.bind(openai);
    openai.calculateDefaultRetryTimeoutMillis = (...values) => delay(...values) / scale;
    return async () => void (await openai.chat.completions.create({ model: 'm', messages }));
  }
  // Own queues run alone: the client does not wait.
  const own = name === 'p-limit(4)' || name === 'oracle';
  const client = newClient({ ...config, baseURL: url, ...(name === "gate 'auto'" && { concurrency: 'auto' }), ...(own && { concurrency: false }) });
  if (isLoop) return loopOf(client);
  const call = async (): Promise<void> => void (await client.chat().create(undefined, { model: 'm', messages }));
  if (name === 'p-limit(4)') {
    const run = bounded(() => 4);
    return () => run(call);
  }
  if (name !== 'oracle') return call;
  const started = performance.now();
  const run = bounded(() => phases.findLast(({ from }) => from <= performance.now() - started)?.limit ?? 1);
  return () => run(call);
}

interface OpenAIClient {
  calculateDefaultRetryTimeoutMillis(...values: number[]): number;
  readonly chat: { readonly completions: { create(request: object): Promise<unknown> } };
}

/** A tool loop whose tool calls the model itself. */
function loopOf(client: Client): () => Promise<void> {
  const ask = defineTool({
    name: 'ask',
    description: 'asks the model',
    input: { type: 'object', properties: {} },
    run: async (_input, { signal }) => {
      await client.chat().create(signal, { model: 'm', messages });
      return 'done';
    },
  });
  return async () => void (await client.chat().runWithTools(undefined, { model: 'm', messages: [{ role: 'user', content: 'loop' }] }, [ask]));
}

async function measure(job: Job): Promise<Outcome> {
  const call = await callOf(job);
  const started = performance.now();
  const times: number[] = [];
  const results = await Promise.allSettled(
    Array.from({ length: job.calls }, async () => {
      await call();
      times.push(performance.now() - started);
    }),
  );
  const makespan = performance.now() - started;
  times.sort((one, other) => one - other);
  return {
    successes: results.filter(({ status }) => status === 'fulfilled').length,
    makespan,
    p95: times[Math.floor(times.length * 0.95)] ?? makespan,
  };
}

async function message<T>(child: ChildProcess): Promise<T> {
  return (await once(child, 'message'))[0] as T;
}

/** One run of a scenario: with several processes the calls are divided. */
async function run(scenario: Scenario, client: ClientName, service: ChildProcess, url: string): Promise<Outcome & { readonly requests: number }> {
  const { processes = 1, phases, calls, isLoop = false } = scenario;
  const plan: ServicePlan = { phases, serviceMs, refusalMs: 1 };
  service.send(plan);
  await message(service);
  const children = Array.from({ length: processes }, () => fork(fileURLToPath(import.meta.url), ['client'], { execArgv: ['--import', 'tsx'] }));
  await Promise.all(children.map((child) => message(child)));
  const outcomes = children.map(async (child) => {
    const job: Job = { client, url, calls: calls / processes, isLoop, phases };
    child.send(job);
    const outcome = await message<Outcome>(child);
    child.kill();
    return outcome;
  });
  const all = await Promise.all(outcomes);
  service.send('count');
  const { requests } = await message<{ readonly requests: number }>(service);
  return {
    successes: all.reduce((sum, { successes }) => sum + successes, 0),
    makespan: Math.max(...all.map(({ makespan }) => makespan)),
    p95: Math.max(...all.map(({ p95 }) => p95)),
    requests,
  };
}

function median(values: readonly number[]): number {
  return [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)] as number;
}

/** Microseconds that a free gate takes for a call. */
function freeGate(): number {
  const settings = resolveConfig({ ...config, concurrency: 4 });
  const call = buildCall(chatCreate, undefined, settings, () => ({ body: { model: 'm', messages } }));
  const cancellation = new Cancellation([], 'bench');
  const count = 100_000;
  const times = Array.from({ length: 9 }, () => {
    const started = process.cpuUsage();
    for (let index = 0; index < count; index++) {
      const door = doorOf(call, settings, cancellation);
      void door.pass(0, undefined);
      door.ended({ billed: 'yes' });
    }
    const { user, system } = process.cpuUsage(started);
    return (user + system) / count;
  });
  return median(times);
}

async function main(): Promise<void> {
  const service = fork(fileURLToPath(new URL('concurrency-service.ts', import.meta.url)), [], { execArgv: ['--import', 'tsx'] });
  const { url } = await message<{ readonly url: string }>(service);
  const lines = ['| scenario | client | success | requests per success | makespan ÷ oracle | p95, ms |', '| --- | --- | --: | --: | --: | --: |'];
  let oracleMs = Number.NaN;
  for (const scenario of scenarios) {
    const results = new Map<ClientName, Awaited<ReturnType<typeof run>>[]>();
    for (let round = 0; round < rounds; round++)
      for (const client of scenario.clients) {
        const list = results.get(client) ?? [];
        list.push(await run(scenario, client, service, url));
        results.set(client, list);
      }
    const oracle = results.get('oracle');
    // The scenarios after the first four have the oracle of limit 4; an outage is added to it.
    if (oracle) oracleMs = median(oracle.map(({ makespan }) => makespan));
    if (scenario.name === 'limit 4') limit4Ms = oracleMs;
    const base = oracle ? oracleMs : scenario.isLoop ? Number.NaN : scenario.name.includes('overload') ? limit4Ms + 15_000 / scale : limit4Ms;
    for (const [client, list] of results) {
      const successes = median(list.map((one) => one.successes));
      const figures = [
        `${((100 * successes) / scenario.calls).toFixed(successes === scenario.calls ? 0 : 1)} %`,
        median(list.map((one) => one.requests / (one.successes * (scenario.isLoop ? 3 : 1)))).toFixed(2),
        Number.isNaN(base) ? '' : (median(list.map((one) => one.makespan)) / base).toFixed(2),
        median(list.map((one) => one.p95)).toFixed(0),
      ];
      lines.push(`| ${scenario.name} | ${client} | ${figures.join(' | ')} |`);
      console.log(lines.at(-1));
    }
  }
  service.kill();
  const gate = freeGate();
  console.log(`free gate: ${gate.toFixed(2)} µs a call`);
  if (process.argv.includes('--write')) write(lines, gate);
}

let limit4Ms = Number.NaN;

function write(lines: readonly string[], gate: number): void {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { readonly version: string };
  const text = `# Many calls on one key

Written by \`npx tsx bench/concurrency.ts --write\`. Each figure is the median of ${rounds} runs.

Every client starts 200 calls at once. The service takes a number that the clients do not know, and refuses the others with status 429 and code 1302
after 1 ms. A call takes ${serviceMs} ms ± 20 %, a twentieth of a real one; the retry delays are divided by ${scale} too. The oracle is modelsvc
behind a queue that follows the limit, and p-limit(4) is a queue of our own with the rule of that package: four at once.

Compare makespans only where success is equal: below 1 means that most calls failed early. "4→2→8" changes after 16 and 32 service times. The overload
refuses everything with code 1305 for 15 s (750 ms here). Each tool of the nested loops calls the model itself: three calls per loop. With two processes,
a run of the gate ends near 1.1 or near 2.0, because each process may stay at one call at a time.

${lines.join('\n')}

A free gate adds ${gate.toFixed(2)} µs of CPU to a call. Made with modelsvc ${version}, Node ${process.versions.node}, ${cpus().length} processors.
`;
  writeFileSync(new URL('RESULTS-concurrency.md', import.meta.url), text);
}

if (process.argv[2] === 'client') {
  process.on('message', (job: Job) => void measure(job).then((outcome) => process.send?.(outcome)));
  process.send?.('ready');
} else await main();
