/** The server of the soak test: the fake service with faults, in a separate process. Prints its URL. Replies to `sockets` on stdin with its counts. */
import { createInterface } from 'node:readline';
import { type Answer, type Fault, faults, startFakeService } from '../src/testing/index.ts';

const fake = await startFakeService({ keepRequests: 0, models: 'any' });
const turn = { turn: { text: 'one two three four five six seven eight' } };

const quick: readonly Fault[] = [
  ...faults.serverErrors(1, 503),
  faults.rateLimit({ ms: 0 }),
  faults.resetBeforeHeaders(),
  faults.error(400, '1210'),
  faults.embeddedFailure(),
  faults.malformedFrame(),
  faults.emptyBody(),
  faults.truncatedStream('midFrame', 'close'),
  faults.htmlErrorPage(502),
  faults.gzip(),
  faults.redirect('https://elsewhere.example/'),
  faults.hugeHeader(),
  faults.invalidHeader(),
  faults.switchingProtocols(),
  faults.cutJson(),
  // A timeout on a warm socket: the silence is longer than the client's timeout.
  faults.silentBeforeHeaders(),
];
/** Replies larger than the client's limits. They are rarer, because each takes the time to reach a limit. */
const oversized: readonly Fault[] = [faults.gzipBomb(), faults.endlessBlanks(), faults.endlessLine(), faults.endlessFrames(), faults.drippedError()];
const streamed: readonly Fault[] = [
  faults.slowDrip(64, 2),
  faults.silentAfterHeaders(3),
  faults.truncatedStream(),
  faults.resetMidBody(),
  faults.inBandError(),
  faults.doneThenOpen(),
  faults.keepAliveOnly(20, 2),
  faults.oneByteAtATime(),
  faults.silentBeforeHeaders(),
  faults.malformedFrame(),
  faults.redirect('https://elsewhere.example/'),
  faults.gzipBomb(),
  faults.endlessLine(),
  faults.hugeEvent(2_000_000),
  faults.invalidHeader(),
];

let count = 0;
const mixed: Answer = (request) => {
  const body = request.body as { stream?: boolean; model?: string } | undefined;
  // The client leaves each of them.
  if (body?.model === 'endless') return { ...faults.silentAfterHeaders(1), reply: turn };
  count++;
  const isStream = body?.stream === true;
  if (!isStream && count % 500 === 0) return { ...(oversized[(count / 500) % oversized.length] as Fault), reply: turn };
  // Every second stream and every tenth call gets a fault.
  if (count % (isStream ? 2 : 10) !== 0) return turn;
  const menu = isStream ? streamed : quick;
  return { ...(menu[Math.floor(count / (isStream ? 2 : 10)) % menu.length] as Fault), reply: turn };
};
fake.fallback('chat.create', mixed).fallback('anthropic.create', mixed);

console.log(fake.url);
createInterface({ input: process.stdin }).on('line', () => console.log(`${fake.sockets} ${fake.exchanges}`));
process.stdin.on('close', () => process.exit());
