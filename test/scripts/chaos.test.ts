import { execFile } from 'node:child_process';
import { expect, test } from 'vitest';
import { bundled } from '../support/child.ts';

/** Exit code and output of `npm run chaos`. The output names the seed. */
function chaos(...options: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [bundled("import './scripts/release/chaos.ts';"), ...options], (_error, stdout, stderr) =>
      resolve(`exit ${child.exitCode}\n${stdout}${stderr}`),
    );
  });
}

test.each([
  ['seed 24', '300', []],
  ['TLS', '150', ['--tls']],
])('%s: with random faults each call has its own answer or a typed error, and a billed call is sent as promised', async (_name, calls, more) => {
  // A busy machine may deliver a close late. The tests of sockets prove the looks at them by the order of events.
  const output = await chaos('--seed', '24', '--calls', calls, '--slack', '60000', ...more);
  const [exit = ''] = output.split('\n');
  const runs = [...output.matchAll(/^(node:http|fetch)\b.*: (\d+) calls,/gm)].map(([, transport, count]) => `${transport} ${count}`);
  expect([exit, ...runs], output).toEqual(['exit 0', `node:http ${calls}`, `fetch ${calls}`]);
});
