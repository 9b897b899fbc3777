/**
 * `npm run soak`: 5,000 concurrent streams and 50,000 sequential calls on each transport, some with faults. The faults include timeouts on
 * warm sockets, refused redirects, unreadable headers, gzip bombs and endless bodies. Every call must succeed or fail with a typed error.
 * Before that, a burst of 10,000 streams that are aborted, left, or dropped without a word.
 * Memory must stay below a limit. No exchange, socket or listener on a long-lived signal may be left, and the heap must not grow.
 * The process must exit without `process.exit`.
 */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { type Client, type Config, isModelsvcError, newClient } from '../src/overlay/index.ts';
import { configFor } from '../src/testing/index.ts';
import { countingSignal } from '../test/support/counting-signal.ts';

const streams = Number(process.env['SOAK_STREAMS'] ?? 5000);
const burst = Number(process.env['SOAK_BURST'] ?? 10_000);
const calls = Number(process.env['SOAK_CALLS'] ?? 50_000);
const transport = process.argv[2] === 'fetch' ? 'fetch' : 'node:http';
// Sockets of Node's fetch take memory outside of the heap: with a heap of 200 MB the peak is the same, 750 to 950 MB.
const maxRssMegabytes = transport === 'fetch' ? 1100 : 700;

const service = spawn(process.execPath, ['--import', 'tsx', 'bench/soak-service.ts'], {
  stdio: ['pipe', 'pipe', 'inherit'],
});
const lines = createInterface({ input: service.stdout })[Symbol.asyncIterator]();
const url = String((await lines.next()).value);

async function connections(): Promise<{ sockets: number; exchanges: number }> {
  service.stdin.write('sockets\n');
  const [sockets = 0, exchanges = 0] = String((await lines.next()).value)
    .split(' ')
    .map(Number);
  return { sockets, exchanges };
}

const request = { model: 'glm-5.2', max_tokens: 100, messages: [{ role: 'user' as const, content: 'hi' }] };
/** Limits for thousands of streams in one process. The defaults are meant for a few. */
const small: Partial<Config> = { maxReplyBytes: 16_000_000, maxEventBytes: 1_000_000, maxBufferedBytes: 256_000 };
const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

function heap(): number {
  global.gc?.();
  return process.memoryUsage().heapUsed;
}

/** Timers that keep the process alive. */
function timers(): number {
  return process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
}

class Tally {
  readonly ends = new Map<string, number>();

  add(end: string): void {
    this.ends.set(end, (this.ends.get(end) ?? 0) + 1);
  }

  fail(error: unknown): void {
    this.add(isModelsvcError(error) ? error.kind : `NOT TYPED: ${String(error)}`);
  }

  get total(): number {
    return [...this.ends.values()].reduce((sum, count) => sum + count, 0);
  }

  toString(): string {
    return [...this.ends].map(([end, count]) => `${end} ${count}`).join(', ');
  }
}

/** Runs all streams at once, and aborts those still open when no more end. Returns the milliseconds from abort to end, sorted. */
async function manyStreams(client: Client, signal: AbortSignal, tally: Tally): Promise<number[]> {
  const late: number[] = [];
  const controller = new AbortController();
  let aborted = 0;
  const run = async (index: number): Promise<void> => {
    const ctx = { ...signal, signal: controller.signal };
    const stream = index % 2 === 0 ? client.chat().stream(ctx, request) : client.anthropic().stream(ctx, request);
    try {
      for await (const _ of stream as AsyncIterable<object>) if (index % 50 === 7) break;
      tally.add('whole');
    } catch (error) {
      tally.fail(error);
      if (aborted > 0) late.push(performance.now() - aborted);
    }
  };
  const all = Promise.all(Array.from({ length: streams }, (_, index) => run(index)));
  // Wait until only silent streams are left.
  for (let last = 0; last === 0 || last !== tally.total; await wait(2000)) last = tally.total;
  aborted = performance.now();
  controller.abort();
  await all;
  return late.sort((a, b) => a - b);
}

/** Starts streams that do not end, all in one turn of the event loop, and leaves each in one of five ways. Resolves when the client is rid of them. */
async function leaveMany(client: Client, signal: AbortSignal, tally: Tally): Promise<void> {
  const run = async (index: number): Promise<void> => {
    const controller = new AbortController();
    const stream = client.chat().stream({ ...signal, signal: controller.signal }, { ...request, model: 'endless' });
    const first = stream.next();
    try {
      if (index % 5 === 0) controller.abort();
      if (index % 5 === 1) setTimeout(() => controller.abort(), index % 100);
      await first;
      if (index % 5 === 2) await stream.return();
      if (index % 5 === 3) {
        const next = stream.next();
        controller.abort();
        await next;
      }
      tally.add(index % 5 === 4 ? 'dropped' : 'left');
    } catch (error) {
      tally.fail(error);
    }
  };
  await Promise.all(Array.from({ length: burst }, (_, index) => run(index)));
}

let failed = false;
function report(name: string, value: string, ok = true): void {
  console.log(`${ok ? '  ' : '✗ '}${name.padEnd(34)} ${value}`);
  if (!ok) failed = true;
}

async function soak(name: string, overrides: Partial<Config>): Promise<void> {
  console.log(`\n${name}`);
  const crowd = newClient(configFor(url, { ...overrides, ...small, retryDelay: 1 }));
  const client = newClient(configFor(url, { ...overrides, ...small, retryDelay: 1, timeout: 300 }));
  const { signal, listeners } = countingSignal();

  await leaveMany(crowd, signal, new Tally());
  const [heapBefore, timersBefore] = [heap(), timers()];
  const burstTally = new Tally();
  await leaveMany(crowd, signal, burstTally);
  let open = await connections();
  // Dropped streams are closed once they are collected as garbage.
  for (let tries = 0; tries < 100 && open.exchanges > 0; tries++) {
    heap();
    await wait(100);
    open = await connections();
  }
  report(`${burst} streams in a burst`, burstTally.toString(), burstTally.total === burst && !burstTally.toString().includes('NOT'));
  report('exchanges still open', String(open.exchanges), open.exchanges === 0);
  report('listeners and timers left', `${listeners()}, ${timers() - timersBefore}`, listeners() === 0 && timers() <= timersBefore);
  const kept = (heap() - heapBefore) / burst;
  report('heap kept, bytes a stream', kept.toFixed(1), kept < 100);

  const streamTally = new Tally();
  const late = await manyStreams(crowd, signal, streamTally);
  report(`${streams} streams at once`, streamTally.toString(), streamTally.total === streams && !streamTally.toString().includes('NOT'));
  report('from abort to end, ms', `p50 ${(late[late.length >> 1] ?? 0).toFixed(1)}, max ${(late.at(-1) ?? 0).toFixed(1)}, ${late.length} streams`);
  await wait(1000);
  const { exchanges } = await connections();
  report('exchanges still open', String(exchanges), exchanges === 0);

  const callTally = new Tally();
  const marks: number[] = [];
  for (let count = 0; count < calls; count++) {
    if (count % (calls / 10) === 0) marks.push(heap());
    await (count % 2 === 0 ? client.chat().create(signal, request) : client.anthropic().create(signal, request)).then(
      () => callTally.add('whole'),
      (error: unknown) => callTally.fail(error),
    );
  }
  marks.push(heap());
  // Skip the first marks: code, pools and caches are still being filled.
  const [start = 0] = marks.slice(4);
  const growth = ((marks.at(-1) ?? 0) - start) / (calls * 0.6);
  report(`${calls} calls in a row`, callTally.toString(), callTally.total === calls && !callTally.toString().includes('NOT'));
  report('heap growth, bytes a call', growth.toFixed(1), growth < 20);
  report('listeners left', String(listeners()), listeners() === 0);
  await Promise.all([crowd.close(), client.close()]);
  // Fetch has a separate pool, which closes idle sockets after some seconds.
  let left = await connections();
  for (let tries = 0; tries < 100 && left.sockets + left.exchanges > 0; tries++) {
    await wait(100);
    left = await connections();
  }
  report('sockets and exchanges left', `${left.sockets}, ${left.exchanges}`, left.sockets + left.exchanges === 0);
  const peak = process.resourceUsage().maxRSS / 1024;
  report('peak RSS so far, MB', peak.toFixed(0), peak <= maxRssMegabytes);
}

// A process each, so that each has a peak of its own.
if (transport === 'fetch') await soak(transport, { httpClient: (target, init) => fetch(target, init) });
else await soak(transport, {});
service.stdin.end();
process.exitCode = failed ? 1 : 0;
process.on('exit', () => console.log(`\n${failed ? '✗ failed' : 'ended by itself'}`));
// Unreferenced: it fires only if something else keeps the process alive.
setTimeout(() => {
  report('the process', 'does not end by itself', false);
  process.exit(1);
}, 20_000).unref();
