// `pipeToResponse` on a real server of node:http: its page gets the status of the failure, and closing the page ends the call.
import { once } from 'node:events';
import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { pipeToResponse } from '../../src/node/index.ts';
import { type Client, collecting, defineTool, newClient, textDeltas } from '../../src/overlay/index.ts';
import { faults } from '../../src/testing/index.ts';
import { type SurfaceDriver, surfaces } from '../support/both-ways.ts';
import { sharedFake } from '../support/fake.ts';

const fake = await sharedFake();

/** The URL of a server that streams an answer to its page, and the errors of its log. */
async function serve(stream: () => AsyncIterable<unknown>): Promise<{ readonly url: string; readonly log: unknown[] }> {
  const log: unknown[] = [];
  const server = createServer((_request, response) => {
    void pipeToResponse(stream(), response, { onError: (error) => void log.push(error) });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.closeAllConnections());
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, log };
}

test.each(surfaces)('$surface', async (driver) => {
  const { url, log } = await serve(() => driver.stream(newClient(fake.configFor({ maxRetries: 0 }))));
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
});

const tools = [defineTool({ name: 'f', description: 'F.', input: {}, run: () => 'done' })];
const ways: readonly [name: string, open: (driver: SurfaceDriver, client: Client) => AsyncIterable<unknown>][] = [
  ['stream', (driver, client) => driver.stream(client)],
  ['textDeltas', (driver, client) => textDeltas(driver.stream(client) as never)],
  ['collecting', (driver, client) => collecting(driver.stream(client) as never)],
  ['streamWithTools', (driver, client) => driver.service(client).streamWithTools(undefined, driver.request('hi'), tools as never)],
];

describe.each(surfaces)('a page of $surface that leaves ends the call', (driver) => {
  test.each(ways)('of %s, while it opens and between two items', async (_name, open) => {
    const { url, log } = await serve(() => open(driver, newClient(fake.configFor())));
    fake.answer(driver.operation, faults.silentBeforeHeaders(), {
      ...faults.silentAfterHeaders(6),
      reply: { turn: { text: ['one', 'two', 'three'] } },
    });
    const opening = get(url).on('error', () => undefined);
    await expect.poll(() => fake.requests.length).toBe(1);
    opening.destroy();
    await fake.idle();
    const reader = (await fetch(url)).body?.getReader();
    expect((await reader?.read())?.done).toBe(false);
    await reader?.cancel();
    await fake.idle();
    expect([fake.requests.map(({ outcome }) => outcome), log]).toEqual([['left', 'left'], []]);
  });
});
