import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished, vi } from 'vitest';
import { type Config, newClient } from '../../../src/overlay/index.ts';
import { type CassetteFetch, type ExchangeFile, fakeKey, type RecordOptions, readExchanges, recordExchanges } from '../../../src/testing/index.ts';

/** The path of a file that does not exist yet, in a folder of the test. */
export function newFile(name = 'cassette.json'): string {
  const folder = mkdtempSync(join(tmpdir(), 'cassette-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, name);
}

/** Records although the tests run in continuous integration. */
export function recorder(file: string, options: Partial<RecordOptions> = {}): CassetteFetch {
  return recordExchanges({ file, ci: false, ...options });
}

export function contentOf(file: string): ExchangeFile {
  return readExchanges(readFileSync(file, 'utf8'), file);
}

/** A client over a cassette. Each loopback address is the same host, so the URL of the fake is not needed in a replay. */
export function clientOver(httpClient: CassetteFetch, url = 'http://localhost:1', more: Partial<Config> = {}): ReturnType<typeof newClient> {
  return newClient({ apiKey: fakeKey, endpoints: url, retryDelay: 1, httpClient, ...more });
}

/** From now on, until the end of the test, no socket of this process connects. Returns the number of attempts. */
export function noSockets(): () => number {
  const connect = vi.spyOn(Socket.prototype, 'connect').mockImplementation(() => {
    throw new Error('a test without network tried to connect');
  });
  return () => connect.mock.calls.length;
}

/** Problems are written to stderr too: not in this test. Returns them. */
export function quietWarnings(): string[] {
  const warnings: string[] = [];
  vi.spyOn(process, 'emitWarning').mockImplementation((warning) => void warnings.push(String(warning)));
  return warnings;
}
