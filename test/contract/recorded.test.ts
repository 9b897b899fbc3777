import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { planEdition, quotaWindow } from '../../src/monitor/index.ts';
import { type Client, newClient, responseInfo } from '../../src/overlay/index.ts';
import { type RecordedExchange, readExchanges } from '../../src/testing/index.ts';
import { answeringServer } from '../support/answering-server.ts';
import { formParts } from '../support/batch-engine.ts';
import { failureOf, testKey } from '../support/spec.ts';

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

const noBalance = { kind: 'api', status: 429, code: '1113', category: 'billing', retryable: false };
const unknownModel = { kind: 'api', status: 400, code: '1211', category: 'parameter', retryable: false };

const document = { file: new TextEncoder().encode('hello world'), filename: 'test.txt', tool_type: 'prime-sync' };

interface Replay {
  readonly call: (client: Client) => Promise<object>;
  /** The error that the call throws. */
  readonly fails?: object;
  readonly gives?: (result: never) => void;
  /** Form fields beyond the recorded ones. */
  readonly adds?: Readonly<Record<string, string>>;
}

/** Each recording as a caller brings it about. */
const replays: Record<string, Replay> = {
  'models-list-china-ok.json': {
    call: (client) => client.models().list(undefined),
    gives: ({ data }: { data: { id: string; listed: boolean }[] }) => {
      expect(data.map(({ id }) => id)).toEqual(['glm-4.5', 'glm-4.5-air', 'glm-4.6', 'glm-4.7', 'glm-5', 'glm-5-turbo', 'glm-5.1', 'glm-5.2']);
      expect(data.every(({ listed }) => listed)).toBe(true);
    },
  },
  'voice-list-global-ok.json': {
    call: (client) => client.voice().list(undefined),
    gives: (result: object) => {
      expect(result).toEqual(recording('voice-list-global-ok.json').response.body);
      expect((result as { voice_list: object[] }).voice_list).toHaveLength(18);
    },
  },
  'chat-create-china-1113.json': {
    call: (client) => client.chat().create(undefined, { model: 'glm-4.6', messages: [{ role: 'user', content: 'hi' }] }),
    fails: { ...noBalance, operation: 'chat.create' },
  },
  'chat-create-async-global-1113.json': {
    call: (client) => client.chat().createAsync(undefined, { model: 'glm-4.6', messages: [{ role: 'user', content: 'hi' }], top_p: 0.95 }),
    fails: { ...noBalance, operation: 'chat.createAsync' },
  },
  'tools-web-search-global-1113.json': {
    call: (client) => client.tools().webSearch(undefined, { search_query: 'golang generics', search_engine: 'search_pro', count: 3 }),
    fails: { ...noBalance, operation: 'tools.webSearch' },
  },
  'tools-reader-global-1113.json': {
    call: (client) => client.tools().webReader(undefined, { url: 'https://go.dev' }),
    fails: { ...noBalance, operation: 'tools.webReader' },
  },
  'tools-tokenizer-global-1113.json': {
    call: (client) =>
      client.tools().tokenize(undefined, { model: 'glm-4.6', messages: [{ role: 'user', content: 'hello world, how are you today?' }] }),
    fails: { ...noBalance, operation: 'tools.tokenize' },
  },
  'embeddings-create-global-1211.json': {
    call: (client) => client.embeddings().create(undefined, { model: 'embedding-2', input: 'hello' }),
    fails: { ...unknownModel, operation: 'embeddings.create' },
  },
  'embeddings-create-china-1211.json': {
    call: (client) => client.embeddings().create(undefined, { model: 'embedding-3', input: 'hello world' }),
    fails: { ...unknownModel, operation: 'embeddings.create' },
  },
  'moderations-create-global-1211.json': {
    call: (client) => client.moderations().create(undefined, { model: 'moderation', input: 'hello world' }),
    fails: { ...unknownModel, operation: 'moderations.create' },
  },
  'moderations-create-china-1211.json': {
    call: (client) => client.moderations().create(undefined, { model: 'moderation', input: 'hello world' }),
    fails: { ...unknownModel, operation: 'moderations.create' },
  },
  'rerank-create-global-1211.json': {
    call: (client) =>
      client.rerank().create(undefined, {
        model: 'rerank',
        query: 'capital of France',
        documents: ['Paris is the capital of France.', 'Berlin is the capital of Germany.'],
      }),
    fails: { ...unknownModel, operation: 'rerank.create' },
  },
  'audio-speech-global-1211.json': {
    call: (client) => client.audio().speech(undefined, { model: 'glm-tts', input: 'hello world', voice: 'tongtong' }),
    fails: { ...unknownModel, operation: 'audio.speech' },
  },
  'agents-invoke-global-failed-1113.json': {
    call: (client) =>
      client.agents().invoke(undefined, {
        agent_id: 'general_translation',
        messages: [{ role: 'user', content: [{ type: 'text', text: 'hello' }] }],
        custom_variables: { source_lang: 'auto', target_lang: 'zh-CN' },
      }),
    fails: { ...noBalance, status: 200, operation: 'agents.invoke' },
  },
  'agents-async-result-global-failed.json': {
    call: (client) =>
      client.agents().asyncResult(undefined, { agent_id: 'intelligent_education_correction_polling', async_id: 'nonexistent-async-id' }),
    fails: {
      kind: 'api',
      status: 200,
      code: '400',
      serviceMessage: 'custom_variables is required',
      operation: 'agents.asyncResult',
    },
  },
  'files-parser-sync-global-missing-file-type.json': {
    // The client refuses to leave file_type out, so it goes beyond what was recorded.
    call: (client) => client.fileParser().sync(undefined, { ...document, file_type: 'TXT' }),
    adds: { file_type: 'TXT' },
    fails: { kind: 'api', status: 200, code: '500', operation: 'fileParser.sync' },
  },
};

it('covers all sixteen recordings', () => {
  expect(files).toHaveLength(16);
  expect(Object.keys(replays).sort()).toEqual(files.sort());
});

describe.each(Object.entries(replays))('%s', (file, { call, fails, gives, adds }) => {
  const recorded = recording(file);
  const requestId = recorded.response.headers['x-log-id'];

  it(fails ? 'throws the typed error' : 'gives the result', async () => {
    const { client, asked } = await replay(recorded);
    if (fails) {
      const error = await failureOf(() => call(client));
      expect(error).toMatchObject({ ...fails, requestId, attempts: 1 });
      expect((error as Error).message).toContain(messageOf(recorded.response.body));
    } else {
      const result = await call(client);
      gives?.(result as never);
      expect(responseInfo(result)).toMatchObject({ requestId, status: 200, attempts: 1 });
    }
    // One attempt: what was recorded, no retry can mend.
    expect(asked.map(({ method, path }) => `${method} ${path}`)).toEqual([`${recorded.request.method} ${recorded.request.path}`]);
    expect(asked[0]?.headers.authorization).toBe(`Bearer ${testKey}`);
  });

  it('sends the recorded request', async () => {
    const { client, asked } = await replay(recorded);
    await call(client).catch(() => undefined);
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
      expect({ ...sentParts, file: undefined }).toEqual({ ...Object.fromEntries(parts.map(({ name, data }) => [name, data])), ...adds });
    } else expect(sent?.text === '' ? undefined : JSON.parse(sent?.text ?? '')).toEqual(body);
  });
});

it('refuses a parser call without file_type before anything is sent, since the service is recorded to fail it', async () => {
  const { client, asked } = await replay(recording('files-parser-sync-global-missing-file-type.json'));
  const error = await failureOf(() => client.fileParser().sync(undefined, document as never));
  expect(error).toMatchObject({ kind: 'validation', operation: 'fileParser.sync', path: 'file_type' });
  expect(asked).toHaveLength(0);
});

function messageOf(body: unknown): string {
  const { error, msg } = body as { error?: { message: string }; msg?: string };
  return error?.message ?? msg ?? '';
}

/** The layout is that of several public captures of September and October 2026. The values are invented, so they prove less than a recording. */
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
