/** One client in a process of its own: does the jobs it is sent and reports their cost in this process. `fork` it with --expose-gc. */
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { answer, blockEvents, deltas, instructions, key, maxTokens, model, prompt } from './wire/corpus.mjs';
import { stubFetch } from './wire/stub.mjs';

const sample = { key, model, prompt, instructions, maxTokens };
const { open } = await import(`./clients/${process.argv[2]}.mjs`);
const origin = `http://127.0.0.1:${process.argv[3]}`;
const opened = new Map();

function clientFor({ mode, surface, stub }) {
  const name = `${mode} ${surface} ${stub}`;
  if (!opened.has(name)) opened.set(name, open({ root: `${origin}/${mode}`, sample, ...(stub ? { fetch: stubFetch(mode, surface) } : {}) }));
  return opened.get(name);
}

function expect(what, got, wanted) {
  if (got !== wanted)
    throw new Error(`${what}: got ${String(got).length} characters of text (${String(got).slice(0, 60)}), wanted ${String(wanted).length}`);
}

const blockText = deltas(blockEvents).join('');

/** One operation, which checks that all the text arrived. */
function operationOf(task) {
  const surface = clientFor(task)[task.surface];
  const { form } = task;
  if (form === 'call') return async () => expect('call', await surface.call(), answer);
  if (form === 'collect') return async () => expect('collect', await surface.collect(), blockText);
  return async () => {
    let text = '';
    await surface.stream((delta) => {
      text += delta;
    });
    expect('stream', text, blockText);
  };
}

const jobs = {
  /**
   * CPU of an operation, `width` at once, for about `budgetMs`. No forced collection before it: that throws optimized code away, and the
   * compiler's work would be counted instead of the client's. The garbage of a round before is the client's own.
   */
  async cpu(task) {
    const { width = 1, budgetMs } = task;
    const operation = operationOf(task);
    let count = 0;
    const end = performance.now() + budgetMs;
    const before = process.cpuUsage();
    const lane = async () => {
      do {
        await operation();
        count++;
      } while (performance.now() < end);
    };
    await Promise.all(Array.from({ length: width }, lane));
    const { user, system } = process.cpuUsage(before);
    return (user + system) / count;
  },

  /** Where the time of `cpu` goes: the share of each function in µs of an operation, garbage collection and kernel included. */
  async profile(task) {
    const { Session } = await import('node:inspector/promises');
    const session = new Session();
    session.connect();
    await jobs.cpu(task);
    await session.post('Profiler.enable');
    await session.post('Profiler.setSamplingInterval', { interval: 200 });
    await session.post('Profiler.start');
    const each = await jobs.cpu(task);
    const { profile } = await session.post('Profiler.stop');
    return { each, functions: selfTimes(profile) };
  },

  /**
   * CPU of an event, of `streams` at once that get one at a time. Counted from when all have had `uncounted` of them, until the first stream ends.
   * At the beginning, a process that has waited for its turn collects garbage and compiles its code again. The end of a stream is not an event.
   */
  async paced({ mode = 'paced', surface, streams, count, uncounted }) {
    const client = clientFor({ mode: `${mode}-${count}`, surface });
    const whole = deltas(count).join('');
    let begun = 0;
    let seen = 0;
    let before;
    let seenBefore = 0;
    let each;
    const one = async () => {
      let text = '';
      let had = 0;
      await client[surface].stream((delta) => {
        if (delta === '') return;
        seen++;
        if (++had === uncounted && ++begun === streams) {
          before = process.cpuUsage();
          seenBefore = seen;
        }
        text += delta;
      });
      if (each === undefined) {
        const { user, system } = process.cpuUsage(before);
        each = (user + system) / (seen - seenBefore);
      }
      expect('paced stream', text, whole);
    };
    const all = [];
    for (let left = streams; left > 0; left--) {
      all.push(one());
      // A burst of thousands is another measure.
      if (left % 50 === 0) await sleep(20);
    }
    await Promise.all(all);
    return each;
  },

  /** Wall time to the first text, in µs: the median of `count` streams, one after the other. */
  async first({ surface, count }) {
    const client = clientFor({ mode: 'first', surface });
    const whole = deltas(8).join('');
    const times = [];
    for (let index = 0; index < count; index++) {
      let text = '';
      const start = performance.now();
      await client[surface].stream((delta) => {
        if (text === '' && delta !== '') times.push((performance.now() - start) * 1000);
        text += delta;
      });
      expect('first', text, whole);
    }
    return times.sort((a, b) => a - b)[times.length >> 1];
  },

  /** Memory of an open stream, in KB: `count` of them that have had their first text and wait for more. */
  async hold({ surface, count }) {
    const client = clientFor({ mode: 'held', surface });
    const holdOne = () =>
      new Promise((resolve, reject) => {
        client[surface].stream((delta) => delta !== '' && resolve()).then(() => reject(new Error('a held stream ended')), reject);
      });
    const holdSome = async (some) => {
      for (let left = some; left > 0; left -= 50) await Promise.all(Array.from({ length: Math.min(left, 50) }, holdOne));
      gc();
      await sleep(200);
      gc();
      return process.memoryUsage();
    };
    const before = await holdSome(200);
    const after = await holdSome(count);
    return { rss: (after.rss - before.rss) / count / 1024, heap: (after.heapUsed - before.heapUsed) / count / 1024 };
  },

  /**
   * `rate` calls a second for `seconds`, whether or not earlier ones have ended. Times are in ms, from the moment at which a call was due: a client
   * that is too slow does not hide it. Memory in MB, at ten points.
   */
  async steady({ surface, rate, seconds }) {
    const operation = operationOf({ mode: 'call', form: 'call', surface });
    const times = [];
    const rss = [];
    let failures = 0;
    const calls = [];
    const start = performance.now();
    for (let count = 0; count < rate * seconds; count++) {
      const due = start + (count * 1000) / rate;
      const early = due - performance.now();
      if (early > 1) await sleep(early);
      if (count % ((rate * seconds) / 10) === 0) {
        gc();
        rss.push(process.memoryUsage().rss / 1024 / 1024);
      }
      calls[count % 1000] = operation().then(
        () => times.push(performance.now() - due),
        () => failures++,
      );
    }
    await Promise.all(calls);
    times.sort((a, b) => a - b);
    const at = (share) => times[Math.floor(times.length * share)];
    return { p50: at(0.5), p99: at(0.99), p999: at(0.999), most: times.at(-1), failures, rss };
  },

  /** Bytes of heap that a call leaves behind: the slope over `count` calls, after a warm-up. */
  async slope({ surface, count }) {
    const operation = operationOf({ mode: 'call', form: 'call', surface });
    const some = async (calls) => {
      let left = calls;
      const lane = async () => {
        while (left-- > 0) await operation();
      };
      await Promise.all(Array.from({ length: 64 }, lane));
    };
    await some(Math.max(2000, count / 10));
    const points = [];
    for (let step = 0; step <= 10; step++) {
      if (step > 0) await some(count / 10);
      gc();
      gc();
      points.push([(step * count) / 10, process.memoryUsage().heapUsed]);
    }
    return slopeOf(points);
  },

  /** CPU in ms and added peak memory in MB of one upload. */
  async upload({ path }) {
    const client = clientFor({ mode: 'call' });
    gc();
    resetPeak();
    const rss = process.memoryUsage().rss;
    const before = process.cpuUsage();
    const taken = await client.upload(path);
    const { user, system } = process.cpuUsage(before);
    // The server counts the whole multipart body.
    if (!(taken >= statSync(path).size)) throw new Error(`upload: the server took ${taken} bytes`);
    return { cpu: (user + system) / 1000, peak: Math.max(0, peakRss() - rss) / 1024 / 1024 };
  },
};

/** Share of the busy samples by function. */
function selfTimes({ nodes, samples }) {
  const hits = new Map(nodes.map(({ id }) => [id, 0]));
  for (const id of samples) hits.set(id, hits.get(id) + 1);
  const shares = new Map();
  let busy = 0;
  for (const { id, callFrame } of nodes) {
    const { functionName, url, lineNumber } = callFrame;
    if (functionName === '(idle)') continue;
    const name = `${functionName || '(anonymous)'} ${url.split('/').slice(-2).join('/')}${url && `:${lineNumber + 1}`}`;
    shares.set(name, (shares.get(name) ?? 0) + hits.get(id));
    busy += hits.get(id);
  }
  return [...shares].map(([name, count]) => [name, count / busy]).sort((a, b) => b[1] - a[1]);
}

function slopeOf(points) {
  const mean = (index) => points.reduce((sum, point) => sum + point[index], 0) / points.length;
  const [x, y] = [mean(0), mean(1)];
  const over = points.reduce((sum, point) => sum + (point[0] - x) * (point[1] - y), 0);
  return over / points.reduce((sum, point) => sum + (point[0] - x) ** 2, 0);
}

/** Linux can start the high-water mark again; elsewhere it is the process's. */
function resetPeak() {
  try {
    writeFileSync('/proc/self/clear_refs', '5');
  } catch {}
}

function peakRss() {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]) * 1024;
  } catch {
    return process.resourceUsage().maxRSS * 1024;
  }
}

process.on('message', async ({ job, task }) => {
  try {
    process.send({ result: await jobs[job](task) });
  } catch (error) {
    process.send({ error: `${process.argv[2]}: ${error?.stack ?? error}` });
  }
});
process.on('disconnect', () => process.exit());
process.send({ result: 'ready' });
