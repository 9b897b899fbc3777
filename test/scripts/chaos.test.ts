import { expect, test } from 'vitest';
import { programOutcome } from '../support/child.ts';

test.each([
  ['seed 24', '300', []],
  ['TLS', '150', ['--tls']],
])('%s: with random faults each call has its own answer or a typed error, and a billed call is sent as promised', async (_name, calls, more) => {
  // A busy machine may deliver a close late. The tests of sockets prove the looks at them by the order of events.
  const { code, stdout, stderr } = await programOutcome('scripts/release/chaos.ts', ['--seed', '24', '--calls', calls, '--slack', '60000', ...more]);
  const runs = [...stdout.matchAll(/^(node:http|fetch)\b.*: (\d+) calls,/gm)].map(([, transport, count]) => `${transport} ${count}`);
  // The output names the seed.
  expect([code, ...runs], stdout + stderr).toEqual([0, `node:http ${calls}`, `fetch ${calls}`]);
});
