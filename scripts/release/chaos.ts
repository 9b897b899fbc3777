/**
 * `npm run chaos`: random faults on new and on used sockets, over both transports. Each call must settle with its own answer or with a typed
 * error. A billed call must be sent as often as docs/guides/errors.md promises. The process must end by itself.
 *
 *     npm run chaos                                          2,000 calls a transport, with a new seed
 *     npm run chaos -- --seed 7 --calls 20000                the faults of seed 7
 *     npm run chaos -- --transport fetch --tls --lanes 1     fetch alone, over TLS, one call after the other
 *     npm run chaos -- --slack 1000                          for a busy machine: a close may take a second to reach the client
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { ca, caPath, serverTls } from '../../test/support/tls.ts';
import { type End, runClient, type Uncaught } from './chaos/client.ts';
import { judge, type Verdict } from './chaos/judge.ts';
import { type Loose, type Post, serve } from './chaos/server.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1e9)) },
    calls: { type: 'string', default: '2000' },
    lanes: { type: 'string', default: '4' },
    transport: { type: 'string', default: 'both' },
    tls: { type: 'boolean', default: false },
    slack: { type: 'string', default: '0' },
    /** Set by this program for its own processes. */
    role: { type: 'string' },
    url: { type: 'string', default: '' },
  },
});
const [seed, calls, lanes] = [Number(values.seed), Number(values.calls), Number(values.lanes)];
/** Milliseconds within which a process must end after its last work. */
const exitMs = 60_000;
const shownWrongs = 20;

/** This program in another role. */
function start(role: string, ...more: string[]): ChildProcess {
  const given = ['--seed', String(seed), '--calls', String(calls), '--lanes', String(lanes), ...(values.tls ? ['--tls'] : [])];
  const env = { ...process.env, NODE_EXTRA_CA_CERTS: caPath, NO_PROXY: '*', no_proxy: '*' };
  return fork(fileURLToPath(import.meta.url), ['--role', role, ...given, ...more], { env });
}

/** Settles when a process has ended and its messages have been received. Returns its exit code, or the signal that killed it. */
async function ended(child: ChildProcess): Promise<number | string | null> {
  const [[code, signal]] = (await Promise.all([once(child, 'exit'), once(child, 'disconnect')])) as [[number | null, string | null], unknown];
  return code ?? signal;
}

function killLater(child: ChildProcess): NodeJS.Timeout {
  return setTimeout(() => child.kill('SIGKILL'), exitMs).unref();
}

async function run(transport: string): Promise<boolean> {
  const posts: Post[] = [];
  const loose: Loose[] = [];
  const ends: End[] = [];
  const wrongs: string[] = [];
  const server = start('server');
  const [{ port }] = (await once(server, 'message')) as [{ port: number }];
  server.on('message', (message: Post | Loose) => {
    if (message.type === 'post') return void posts.push(message);
    loose.push(message);
    const { met, to } = message;
    const post = met && posts.findLast(({ call, attempt }) => call === met.call && attempt === met.attempt);
    if (post) post.spoiltAt = to;
  });
  const serverEnd = ended(server);
  const client = start('client', '--transport', transport, '--url', `${values.tls ? 'https' : 'http'}://127.0.0.1:${port}`);
  client.on('message', (message: End | Uncaught | 'done') => {
    if (message === 'done') killLater(client);
    else if (message.type === 'end') ends.push(message);
    else wrongs.push(`${message.text}, with the calls ${message.calls.join(', ')} in flight`);
  });
  const clientCode = await ended(client);
  if (server.connected) server.send('stop');
  killLater(server);
  const serverCode = await serverEnd;
  if (clientCode !== 0) wrongs.push(`the process of the client ended with ${clientCode}, ${exitMs} ms after its last call at the latest`);
  if (serverCode !== 0) wrongs.push(`the process of the server ended with ${serverCode}`);
  if (ends.length !== calls) wrongs.push(`${ends.length} of ${calls} calls ended`);
  const verdicts = judge({ seed, slackMs: Number(values.slack), transport, posts, loose, ends });
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
  const leave = (): void => process.exit(1);
  process.once('disconnect', leave);
  await runClient({ url: values.url, seed, calls, lanes, transport: values.transport, ca: values.tls ? ca : undefined });
  process.send?.('done');
  // From here on the process must end by itself.
  process.off('disconnect', leave);
  process.disconnect();
} else {
  const both = ['node:http', 'fetch'];
  const chosen = both.filter((transport) => values.transport === 'both' || values.transport === transport);
  if (![seed, calls, lanes].every(Number.isSafeInteger) || chosen.length === 0)
    throw new Error('--seed, --calls and --lanes take integers, --transport takes node:http, fetch or both');
  for (const transport of chosen) if (!(await run(transport))) process.exitCode = 1;
}
