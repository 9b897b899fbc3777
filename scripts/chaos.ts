/**
 * `npm run chaos`: random faults on new and on used sockets, over both transports. Each call must settle with its own answer or with a typed
 * error. A billed call must be sent as often as docs/guides/errors.md promises. The process must end by itself.
 *
 *     npm run chaos                                          2,000 calls a transport, with a new seed
 *     npm run chaos -- --seed 7 --calls 20000                the faults of seed 7
 *     npm run chaos -- --transport fetch --tls --lanes 1     fetch alone, over TLS, one call after the other
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { ca, caPath, serverTls } from '../test/support/tls.ts';
import { type End, runClient, type Uncaught } from './chaos/client.ts';
import { judge, type Verdict } from './chaos/judge.ts';
import { type Closed, type Post, type Spoilt, serve } from './chaos/server.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1e9)) },
    calls: { type: 'string', default: '2000' },
    lanes: { type: 'string', default: '4' },
    transport: { type: 'string', default: 'both' },
    tls: { type: 'boolean', default: false },
    /** Set by this program for its own processes. */
    role: { type: 'string' },
    url: { type: 'string', default: '' },
  },
});
const [seed, calls, lanes] = [Number(values.seed), Number(values.calls), Number(values.lanes)];
/** Milliseconds within which the client's process must end after its last call. */
const exitMs = 30_000;
const shownWrongs = 20;

/** This program in another role. */
function start(role: string, ...more: string[]): ChildProcess {
  const given = ['--seed', String(seed), '--calls', String(calls), '--lanes', String(lanes), ...(values.tls ? ['--tls'] : [])];
  const env = { ...process.env, NODE_EXTRA_CA_CERTS: caPath, NO_PROXY: '*', no_proxy: '*' };
  return fork(fileURLToPath(import.meta.url), ['--role', role, ...given, ...more], { execArgv: ['--import', 'tsx'], env });
}

async function run(transport: string): Promise<boolean> {
  const posts: Post[] = [];
  const closed: Closed[] = [];
  const ends: End[] = [];
  const wrongs: string[] = [];
  const server = start('server');
  const [{ port }] = (await once(server, 'message')) as [{ port: number }];
  server.on('message', (message: Post | Spoilt | Closed) => {
    if (message.type === 'post') posts.push(message);
    else if (message.type === 'closed') closed.push(message);
    else {
      const post = posts.findLast(({ call, attempt }) => call === message.call && attempt === message.attempt);
      if (post) post.spoiltAt = message.at;
    }
  });
  const url = `${values.tls ? 'https' : 'http'}://127.0.0.1:${port}`;
  const client = start('client', '--transport', transport, '--url', url);
  let timer: ReturnType<typeof setTimeout> | undefined;
  client.on('message', (message: End | Uncaught | { type: 'done' }) => {
    if (message.type === 'end') ends.push(message);
    else if (message.type === 'uncaught') wrongs.push(`${message.text}, with the calls ${message.calls.join(', ')} in flight`);
    else
      timer = setTimeout(() => {
        wrongs.push(`the process of the client did not end within ${exitMs} ms of its last call`);
        client.kill();
      }, exitMs);
  });
  const [code] = (await once(client, 'exit')) as [number | null];
  clearTimeout(timer);
  if (server.connected) {
    server.disconnect();
    await once(server, 'exit');
  } else wrongs.push('the process of the server ended before that of the client');
  if (code !== 0) wrongs.push(`the process of the client ended with ${code}`);
  if (ends.length !== calls) wrongs.push(`${ends.length} of ${calls} calls ended`);
  const verdicts = judge({ seed, transport, posts, closed, ends });
  for (const { call, wrongs: own, trace } of verdicts)
    if (own.length > 0)
      wrongs.push(...own.map((wrong) => `call ${call}: ${wrong}`).slice(0, -1), [`call ${call}: ${own.at(-1)}`, ...trace].join('\n    '));
  const used = posts.filter((post) => post.used > 0).length;
  console.log(
    `${transport}${values.tls ? ' over TLS' : ''}, seed ${seed}: ${ends.length} calls, ${posts.length} POSTs, ${used} of them on used connections`,
  );
  console.log(tableOf(verdicts));
  if (wrongs.length === 0) return true;
  for (const wrong of wrongs.slice(0, shownWrongs)) console.log(`WRONG ${wrong}`);
  const flags = `--seed ${seed} --calls ${calls} --lanes ${lanes} --transport ${transport}${values.tls ? ' --tls' : ''}`;
  console.log(`${wrongs.length} wrong. To repeat: npm run chaos -- ${flags}`);
  return false;
}

/** By the first fault of a call: how it ended, after how many POSTs, and how often. */
function tableOf(verdicts: readonly Verdict[]): string {
  const rows = new Map<string, Map<string, number>>();
  for (const { fault, kind, posts } of verdicts) {
    const row = rows.get(fault) ?? new Map<string, number>();
    rows.set(fault, row);
    const name = `${kind} after ${posts}`;
    row.set(name, (row.get(name) ?? 0) + 1);
  }
  const line = ([fault, row]: readonly [string, Map<string, number>]): string =>
    `  ${fault.padEnd(30)} ${[...row]
      .sort()
      .map(([name, count]) => `${name}: ${count}`)
      .join('   ')}`;
  return [...rows].sort().map(line).join('\n');
}

if (values.role === 'server') await serve(seed, values.tls ? serverTls : undefined);
else if (values.role === 'client') {
  await runClient({ url: values.url, seed, calls, lanes, transport: values.transport, ca: values.tls ? ca : undefined });
  process.send?.({ type: 'done' });
  process.disconnect();
} else {
  const transports = values.transport === 'both' ? ['node:http', 'fetch'] : [values.transport];
  for (const transport of transports) if (!(await run(transport))) process.exitCode = 1;
}
