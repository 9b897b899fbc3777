// `pipeToResponse` behind a real server of node:http: its page gets the status of the failure, and a page that leaves ends the call.
import { once } from 'node:events';
import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { pipeToResponse } from '../../src/node/index.ts';
import { type Client, newClient } from '../../src/overlay/index.ts';
import { faults } from '../../src/testing/index.ts';
import { type SurfaceDriver, surfaces } from '../support/both-ways.ts';
import { openFake } from '../support/fake.ts';

/** The URL of a server that streams an answer to its page, and the errors of its log. */
async function serve(driver: SurfaceDriver, client: Client): Promise<{ readonly url: string; readonly log: unknown[] }> {
  const log: unknown[] = [];
  const server = createServer((_request, response) => {
    void pipeToResponse(driver.stream(client), response, { onError: (error) => void log.push(error) });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.closeAllConnections());
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, log };
}

test.each(surfaces)('$surface', async (driver) => {
  const { fake } = await openFake();
  const { url, log } = await serve(driver, newClient(fake.configFor({ maxRetries: 0 })));
  const cases = [
    [{ turn: { text: 'Hello' } }, 200, 'text/event-stream', /Hello[\s\S]*\[DONE\]/],
    [faults.rateLimit({ seconds: 7 }), 429, 'application/json', /"type":"api"/],
    [faults.error(503, '1305', 'secret words'), 503, 'application/json', /"type":"api"/],
    [faults.error(401, '1001', 'secret words'), 500, 'application/json', /"type":"api"/],
    [faults.resetBeforeHeaders(), 502, 'application/json', /"type":"connection"/],
  ] as const;
  for (const [answer, status, type, body] of cases) {
    fake.answer(driver.operation, answer as never);
    const response = await fetch(url);
    const text = await response.text();
    expect([response.status, response.headers.get('content-type'), text.includes('secret')]).toEqual([status, type, false]);
    expect(text).toMatch(body);
    expect(response.headers.get('retry-after')).toBe(status === 429 ? '7' : null);
  }
  expect(log).toHaveLength(cases.length - 1);

  // A page that leaves while the stream opens.
  fake.answer(driver.operation, faults.silentBeforeHeaders());
  const before = fake.requests.length;
  const page = get(url).on('error', () => undefined);
  await expect.poll(() => fake.requests.length).toBe(before + 1);
  page.destroy();
  await fake.idle();
  expect(fake.requests.at(-1)?.outcome).toBe('left');
  expect(log).toHaveLength(cases.length - 1);
});
