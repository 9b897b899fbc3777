import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { allRoutes } from '../../src/generated/routes.ts';
import { planEdition, quotaWindow } from '../../src/monitor/index.ts';
import { type Client, newClient, responseInfo } from '../../src/overlay/index.ts';
import { type RecordedExchange, readExchanges } from '../../src/testing/index.ts';
import { altered } from '../support/altered.ts';
import { answeringServer } from '../support/answering-server.ts';
import { formParts } from '../support/batch-engine.ts';
import { everyOperation } from '../support/every-operation.ts';
import { failureOf, testKey } from '../support/spec.ts';
import { meaningOf, toldBy } from '../support/spec-examples.ts';

const folder = new URL('../recorded/', import.meta.url);
const files = readdirSync(folder).filter((name) => name.endsWith('.json'));

/** One real interaction with the service, July 2026, without keys and cookies. */
function recording(file: string): RecordedExchange {
  const [exchange] = readExchanges(readFileSync(new URL(file, folder), 'utf8'), file).exchanges;
  if (!exchange) throw new Error(`${file} is empty`);
  return exchange;
}

/** A client of a server that answers the recorded request as the service did, and anything else with 404. */
async function replay({
  request,
  response,
}: RecordedExchange): Promise<{ client: Client; asked: Awaited<ReturnType<typeof answeringServer>>['asked'] }> {
  const server = await answeringServer(({ method, path }) =>
    method === request.method && path === request.path
      ? { status: response.status, headers: response.headers, body: JSON.stringify(response.body) }
      : { status: 404, body: {} },
  );
  const platform = `${server.url}/api/paas/v4`;
  const client = newClient({ apiKey: testKey, baseURL: platform, endpoints: { china: platform, agents: `${server.url}/api` } });
  return { client, asked: server.asked };
}

const encoded = new TextEncoder().encode('hello world');

/** The operation that the service was asked for. */
function operationOf({ request }: RecordedExchange): string {
  const routes = allRoutes.filter(({ method, path }) => method === request.method && request.path.endsWith(path));
  return routes.sort((a, b) => b.path.length - a.path.length)[0]?.id ?? '';
}

/** The client refuses to leave file_type out, so it sends more than was recorded. */
const added: Readonly<Record<string, Readonly<Record<string, string>>>> = { 'fileParser.sync': { file_type: 'TXT' } };

/** The recorded request, made by a caller. */
function perform(client: Client, exchange: RecordedExchange): Promise<unknown> {
  const operation = operationOf(exchange);
  const { body, parts } = exchange.request;
  const fields = parts && Object.fromEntries(parts.map(({ name, filename, data }) => [name, filename ? encoded : data]));
  const request = fields ? { ...fields, filename: parts[0]?.filename, ...added[operation] } : body;
  return everyOperation[operation]?.perform(altered(client, () => [undefined, request])) as Promise<unknown>;
}

it('there are sixteen recordings', () => expect(files).toHaveLength(16));

describe.each(files)('%s', (file) => {
  const recorded = recording(file);
  const { status, body: reply } = recorded.response;
  const facts = { requestId: recorded.response.headers['x-log-id'], status, attempts: 1 };

  it(file.endsWith('-ok.json') ? 'gives the result' : 'throws the typed error', async () => {
    const { client, asked } = await replay(recorded);
    if (file.endsWith('-ok.json')) {
      const result = (await perform(client, recorded)) as object;
      // The list of models has the rows of the catalogue too.
      expect(result).toMatchObject(reply as object);
      expect(responseInfo(result)).toMatchObject(facts);
    } else {
      const { code, message: serviceMessage } = toldBy(reply);
      const [category, retryable] = meaningOf[code] ?? [];
      const error = await failureOf(() => perform(client, recorded));
      expect(error).toMatchObject({ kind: 'api', operation: operationOf(recorded), code, category, retryable, serviceMessage, ...facts });
      expect((error as Error).message).toContain(serviceMessage);
    }
    // One attempt: a retry cannot change a recorded answer.
    expect(asked.map(({ method, path }) => `${method} ${path}`)).toEqual([`${recorded.request.method} ${recorded.request.path}`]);
    expect(asked[0]?.headers.authorization).toBe(`Bearer ${testKey}`);
  });

  it('sends the recorded request', async () => {
    const { client, asked } = await replay(recorded);
    await perform(client, recorded).catch(() => undefined);
    const { body, parts } = recorded.request;
    const sent = asked[0];
    if (parts) {
      const sentParts = Object.fromEntries(formParts(sent?.text ?? '', sent?.headers['content-type'] ?? ''));
      const [file] = parts;
      expect(sent?.text).toContain(`filename="${file?.filename}"`);
      expect([
        sentParts['file']?.length,
        createHash('sha256')
          .update(sentParts['file'] ?? '')
          .digest('hex'),
      ]).toEqual([file?.length, file?.sha256]);
      expect({ ...sentParts, file: undefined }).toEqual({
        ...Object.fromEntries(parts.map(({ name, data }) => [name, data])),
        ...added[operationOf(recorded)],
      });
    } else expect(sent?.text === '' ? undefined : JSON.parse(sent?.text ?? '')).toEqual(body);
  });
});

it('refuses a parser call without file_type before anything is sent, since the service is recorded to fail it', async () => {
  const { client, asked } = await replay(recording('files-parser-sync-global-missing-file-type.json'));
  const error = await failureOf(() => client.fileParser().sync(undefined, { file: encoded, tool_type: 'prime-sync' } as never));
  expect(error).toMatchObject({ kind: 'validation', operation: 'fileParser.sync', path: 'file_type' });
  expect(asked).toHaveLength(0);
});

/** The layout is as in several public captures of September and October 2026. The values are invented, so they prove less than a recording. */
describe('reported replies', () => {
  const { request, response } = recording('reported/quota-limit-v3.json');

  it('the limits of a V3 plan, in any order: windows by their names, filled by the counts', async () => {
    const server = await answeringServer(({ path }) => ({ status: path === request.path ? 200 : 404, body: response.body }));
    const client = newClient({ apiKey: testKey, endpoints: { monitor: `${server.url}/api/monitor` } });
    const { level, limits = [] } = await client.quota().getLimit(undefined);
    expect([level, planEdition(limits)]).toEqual(['pro', 'V3']);
    expect(limits.map(quotaWindow)).toMatchObject([
      { name: 'weekly', usedFraction: 9120 / 60000, resetsAt: new Date(1_791_907_200_000) },
      { name: 'five-hour', usedFraction: 1438 / 12000, resetsAt: new Date(1_791_536_400_000) },
    ]);
  });
});
