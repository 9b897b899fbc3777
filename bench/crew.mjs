/** Child processes: the server and one worker per client. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
/** No proxy is between loopback and a client, and no option of the caller's shell changes what is measured. */
export const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(https?|all|no)_proxy$|^NODE_OPTIONS$/i.test(name)));

export async function startServer() {
  const child = fork(here('./wire/server.mjs'), { env });
  const [{ port }] = await once(child, 'message');
  return { port, close: () => child.disconnect() };
}

class Worker {
  constructor(name, child) {
    this.name = name;
    this.child = child;
    this.waiting = undefined;
    child.on('message', (answer) => this.#settle(answer));
    child.on('exit', (code) => this.#settle({ error: `${name}: its process ended (${code})` }));
  }

  /** One job at a time; a job that hangs fails after `limitMs`. */
  ask(job, task, limitMs = 300_000) {
    const answer = this.answer(limitMs);
    this.child.send({ job, task });
    return answer;
  }

  answer(limitMs = 60_000) {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.#settle({ error: `${this.name}: no answer in ${limitMs} ms` }), limitMs);
      this.waiting = { resolve, reject, timer };
    });
  }

  #settle({ result, error }) {
    if (!this.waiting) return;
    const { resolve, reject, timer } = this.waiting;
    this.waiting = undefined;
    clearTimeout(timer);
    if (error) reject(new Error(error));
    else resolve(result);
  }

  close() {
    this.child.kill('SIGKILL');
  }
}

/** The client and the environment of a process by its name: `again` is the library a second time, to tell the noise; `before` is another build of it. */
export const processOf = (name) => ({
  client: name === 'again' || name === 'before' ? 'modelsvc' : name,
  env: name === 'before' ? { ...env, BENCH_DIST: process.env.BENCH_BEFORE } : env,
});

/** A worker for each client, all idle. */
export async function startCrew(clients, port) {
  const crew = clients.map((name) => {
    const { client, env } = processOf(name);
    return new Worker(name, fork(here('./worker.mjs'), [client, String(port)], { execArgv: ['--expose-gc'], env }));
  });
  try {
    await Promise.all(crew.map((worker) => worker.answer()));
  } catch (error) {
    disband(crew);
    throw error;
  }
  return crew;
}

export function disband(crew) {
  for (const worker of crew) worker.close();
}

/** Every worker once a round, in random order; gives the samples of each by round. */
export async function interleave(crew, rounds, work) {
  const samples = Object.fromEntries(crew.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round++) for (const worker of shuffled(crew)) samples[worker.name].push(await work(worker));
  return samples;
}

/** The same with a fresh process for every sample. */
export async function interleaveFresh(clients, rounds, port, work) {
  const samples = Object.fromEntries(clients.map((name) => [name, []]));
  for (let round = 0; round < rounds; round++)
    for (const name of shuffled(clients)) {
      const crew = await startCrew([name], port);
      try {
        samples[name].push(await work(crew[0]));
      } finally {
        disband(crew);
      }
    }
  return samples;
}

export function shuffled(list) {
  const order = [...list];
  for (let at = order.length - 1; at > 0; at--) {
    const other = Math.floor(Math.random() * (at + 1));
    [order[at], order[other]] = [order[other], order[at]];
  }
  return order;
}
