import { mkdtempSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allRoutes } from '../../src/generated/routes.ts';
import { type FakeService, fakeKey, startFakeService, writeExchanges } from '../../src/testing/index.ts';

let fake: FakeService;
let replay: FakeService;
const folder = mkdtempSync(join(tmpdir(), 'paths-'));
beforeAll(async () => {
  fake = await startFakeService();
  const exchanges = [{ request: { method: 'GET', host: 'a.test', path: '/models', headers: {} }, response: { status: 204, headers: {} } }];
  await writeFile(join(folder, 'one.json'), writeExchanges({ exchanges }));
  replay = await startFakeService({ replay: join(folder, 'one.json') });
});
afterAll(async () => {
  await fake.close();
  await replay.close();
  await rm(folder, { recursive: true });
});

/** The status line and the body of a request with any target. */
function ask({ url }: FakeService, line: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () =>
      socket.write(`${line} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${fakeKey}\r\nconnection: close\r\n\r\n`),
    );
    socket
      .on('data', (block) => (text += String(block)))
      .on('end', () => resolve(text))
      .on('error', reject);
  });
}

describe('paths that the fake does not serve', () => {
  it.each(['GET //', 'GET ///', 'GET //models', 'GET //[', 'GET //a:b', 'GET /%', 'OPTIONS *', 'GET http://[', 'GET http://x//'])(
    '%s is refused and recorded, also in a replay',
    async (line) => {
      for (const [service, status] of [
        [fake, 404],
        [replay, 417],
      ] as const) {
        service.reset();
        expect(await ask(service, line)).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
        expect(service.requests).toMatchObject([
          { method: line.split(' ')[0], target: line.split(' ')[1], operation: undefined, status, refusal: { status } },
        ]);
      }
    },
  );

  it.each(allRoutes.map(({ id, method, path }) => ({ id, method, path })))('$id: the operation that was meant is named', async ({ method, path }) => {
    const served = `The fake serves ${method} ${path}.`;
    const given = path.replaceAll(/\{\w+\}/g, 'x1');
    const other = ['PUT', 'PATCH'].find((one) => one !== method);
    for (const target of [`/v9${given}`, `/api/v9${given}`, `${given}/`, `/${given}`, given.replaceAll('/', '//')])
      expect(await ask(fake, `${method} ${target}`)).toContain(served);
    expect(await ask(fake, `${other} ${given}`)).toMatch(/^HTTP\/1.1 405 [\s\S]* The fake serves [A-Z]+ \/\S*\./);
  });

  it('a misspelled path has its near name, and a foreign one none', async () => {
    expect(await ask(fake, 'POST /chat/completion')).toContain('The fake serves POST /chat/completions.');
    expect(await ask(fake, 'GET /favicon.ico')).not.toContain('The fake serves');
  });
});
