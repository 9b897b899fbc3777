import { execFile } from 'node:child_process';
import { expect, test } from 'vitest';
import { transports } from '../support/both-ways.ts';
import { bundled } from '../support/child.ts';

/** Exit code and output of `npm run chaos`. The output names the seed. */
function chaos(...options: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [bundled("import './scripts/chaos.ts';"), ...options], (_error, stdout, stderr) =>
      resolve(`exit ${child.exitCode}\n${stdout}${stderr}`),
    );
  });
}

test.each(
  transports.flatMap(({ transport }) => [
    [transport, 'seed 24', ['--seed', '24', '--calls', '300']] as const,
    [transport, 'TLS', ['--seed', '24', '--calls', '150', '--tls']] as const,
  ]),
)(
  '%s, %s: with random faults each call has its own answer or a typed error, and a billed call is sent as promised',
  async (transport, _name, options) => {
    // A busy machine may deliver a close late. The tests of sockets prove the looks at them by the order of events.
    const output = await chaos('--transport', transport, '--slack', '60000', ...options);
    const [exit, summary = ''] = output.split('\n');
    expect([exit, / (\d+) calls/.exec(summary)?.[1]], output).toEqual(['exit 0', options[3]]);
  },
);
