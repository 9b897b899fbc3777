import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const tests = new URL('..', import.meta.url).pathname;

/** The files that may listen on a port, each with the reason why the fake service cannot replace it. */
const listeners: Readonly<Record<string, string>> = {
  'migration/openai/stream-to-client.ts': 'the program under test is a server, and calls the fake',
  'runtime/nothing-left.test.ts': 'answers many thousand calls: the fake, which keeps and checks each, would need minutes',
  'streams/on-error.test.ts': 'the server of a user, which streams to its page',
  'streams/pipe-to-response.test.ts': 'the server of a user, which streams to its page, and calls the fake',
  'support/changing-proxy.ts': 'a proxy: it passes requests on, and changes replies',
  'support/connect-proxy.ts': 'a proxy: it opens tunnels and forwards requests',
  'support/global-setup.ts': 'passes connections on to Prism, which starts at the first',
  'support/prism.ts': 'Prism, the mock of the spec by another implementation',
  'support/raw-server.ts': 'raw TCP and TLS, for bytes that are not HTTP',
};

test('the fake service is the only HTTP server of the tests', () => {
  const files = readdirSync(tests, { recursive: true, encoding: 'utf8' }).filter((path) => /\.[cm]?[jt]sx?$/.test(path));
  const listening = files.filter((path) => /\bcreate(Secure)?Server\b/.test(readFileSync(join(tests, path), 'utf8')));
  expect(files.length).toBeGreaterThan(200);
  expect(listening.sort()).toEqual(Object.keys(listeners));
});
