// Recordings of `npm run confirm:apply`: the client reads each reply as what it is, a result or the failure that it contains.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { Route } from '../../src/generated/routes.ts';
import { isApiError, newClient } from '../../src/overlay/index.ts';
import { played } from '../../src/testing/exchanges/play.ts';
import { type RecordedExchange, readExchanges } from '../../src/testing/index.ts';
import { matchRoute } from '../../src/testing/requests/routing.ts';
import { surfaces, taken } from '../support/both-ways.ts';
import { everyOperation } from '../support/every-operation.ts';
import { testKey } from '../support/spec.ts';

const folder = new URL('../recorded/confirmed/', import.meta.url);
const files = existsSync(folder) ? readdirSync(folder) : [];

function routeOf({ method, path }: RecordedExchange['request']): Route {
  const match = matchRoute(method, path.split('?')[0] ?? '');
  if (typeof match === 'number') throw new Error(`no operation has ${method} ${path}`);
  return match.route;
}

/** Throws if the client reads the reply as something else than the recording has. */
async function expectRead({ request, response }: RecordedExchange): Promise<void> {
  const route = routeOf(request);
  const client = newClient({
    apiKey: testKey,
    maxRetries: 0,
    httpClient: () => Promise.resolve(played(response, { url: 'https://localhost/', signal: new AbortController().signal }, false)),
  });
  if (response.frames !== undefined) {
    const driver = surfaces.find(({ operation }) => operation === route.id);
    if (!driver) throw new Error(`${route.id} has no stream`);
    const { items, error } = await taken(driver.stream(client));
    expect([items.length > 0, error]).toEqual([true, undefined]);
    return;
  }
  const outcome: unknown = await everyOperation[route.id]?.perform(client).catch((error: unknown) => error);
  if (response.status < 400 && !(outcome instanceof Error)) return expect(JSON.parse(JSON.stringify(outcome))).toMatchObject(response.body as object);
  expect([isApiError(outcome), (outcome as { status?: number }).status]).toEqual([true, response.status]);
  // A success that the client takes for a failure is not one that the recording has.
  if (response.status < 400)
    expect(Object.keys(response.body as object)).toEqual(expect.arrayContaining([expect.stringMatching(/^(error|code|success)$/)]));
}

const exchange = (path: string, response: object): RecordedExchange => {
  const request = { method: 'POST', host: 'api.z.ai', path, headers: {} };
  const text = JSON.stringify({ format: 'modelsvc/exchanges', version: 1, exchanges: [{ request, response }] });
  const [one] = readExchanges(text, 'a sample').exchanges;
  if (!one) throw new Error('no exchange');
  return one;
};
const headers = { 'content-type': 'application/json' };
const choices = [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: '<text 2>' } }];
const chunk = JSON.stringify({ choices: [{ index: 0, delta: { content: '<text 2>' }, finish_reason: 'stop' }] });

it.each([
  ['a result', exchange('/api/paas/v4/chat/completions', { status: 200, headers, body: { id: '<id>', choices } })],
  ['a refusal', exchange('/api/paas/v4/chat/completions', { status: 400, headers, body: { error: { code: '1211', message: '<text 9>' } } })],
  ['a failure inside 200', exchange('/api/v1/responses', { status: 200, headers, body: { code: 1000, msg: '<text 9>', success: false } })],
  [
    'a stream',
    exchange('/api/paas/v4/chat/completions', {
      status: 200,
      headers: { 'content-type': 'text/event-stream' },
      frames: [
        { after: 0, data: chunk },
        { after: 0, data: '[DONE]' },
      ],
      count: 2,
      end: 'closed',
    }),
  ],
])('the client reads %s', (_name, one) => expectRead(one));

it.each([
  ['a status that no failure has', exchange('/api/paas/v4/chat/completions', { status: 204, headers: {}, body: {} })],
  ['a success without an expected field', exchange('/api/paas/v4/chat/completions', { status: 200, headers, body: { id: '<id>' } })],
])('and would not pass for %s', async (_name, one) => {
  await expect(expectRead(one)).rejects.toThrow();
});

it('the client reads each confirmed recording', async () => {
  for (const name of files) for (const one of readExchanges(readFileSync(new URL(name, folder), 'utf8'), name).exchanges) await expectRead(one);
});
