import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ExchangeFinding } from '../../../scripts/service/judge/finding.ts';
import { judged } from '../../../scripts/service/judge/judge-exchanges.ts';
import { type Client, defineTool, newClient } from '../../../src/overlay/index.ts';
import { type ExchangeFile, readExchanges, recordExchanges } from '../../../src/testing/index.ts';
import { changingProxy, type PassingReply } from '../../support/changing-proxy.ts';
import { openFake } from '../../support/fake.ts';
import { newFolder } from '../../support/storage.ts';

const weather = defineTool({
  name: 'weather',
  description: 'Weather of a city',
  input: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  run: () => 'rain',
});
const search = { type: 'web_search_20260209', name: 'web_search', max_uses: 2 };
const messages = [{ role: 'user' as const, content: 'What is the weather in Metz?' }];

async function drained(stream: AsyncIterable<unknown>): Promise<void> {
  for await (const _item of stream);
}

/** One call of each kind on each surface. */
export const calls = {
  chat: (c: Client, model: string) => c.chat().create(undefined, { model, messages }),
  chatStream: (c: Client, model: string) => drained(c.chat().stream(undefined, { model, messages })),
  chatTool: (c: Client, model: string) => c.chat().runWithTools(undefined, { model, messages }, [weather]),
  chatToolStream: (c: Client, model: string) => drained(c.chat().streamWithTools(undefined, { model, messages }, [weather])),
  messages: (c: Client, model: string) => c.anthropic().create(undefined, { model, max_tokens: 900, messages }),
  messagesStream: (c: Client, model: string) => drained(c.anthropic().stream(undefined, { model, max_tokens: 900, messages })),
  messagesTool: (c: Client, model: string) => c.anthropic().runWithTools(undefined, { model, max_tokens: 900, messages }, [weather]),
  messagesToolStream: (c: Client, model: string) =>
    drained(c.anthropic().streamWithTools(undefined, { model, max_tokens: 900, messages }, [weather])),
  responses: (c: Client, model: string) => c.responses().create(undefined, { model, input: 'What is the weather in Metz?' }),
  responsesStream: (c: Client, model: string) => drained(c.responses().stream(undefined, { model, input: 'What is the weather in Metz?' })),
  responsesTool: (c: Client, model: string) => c.responses().runWithTools(undefined, { model, input: 'Weather in Metz?' }, [weather]),
  responsesToolStream: (c: Client, model: string) => drained(c.responses().streamWithTools(undefined, { model, input: 'Weather?' }, [weather])),
  messagesSearch: (c: Client, model: string) => drained(c.anthropic().stream(undefined, { model, max_tokens: 900, messages, tools: [search] })),
  models: (c: Client) => c.models().list(undefined),
  files: (c: Client) => c.files().list(undefined, { purpose: 'batch' }),
  quota: (c: Client) => c.quota().getLimit(undefined),
} satisfies Readonly<Record<string, (client: Client, model: string) => Promise<unknown>>>;

export type CallName = keyof typeof calls;
export type Change = (reply: PassingReply) => Partial<Pick<PassingReply, 'status' | 'headers' | 'text'>> | undefined;

/** The recording of a call through a proxy that changes the replies of the fake. */
export async function recordingOf(name: CallName, change: Change | undefined, model: string = 'glm-5.3'): Promise<ExchangeFile> {
  const { fake } = await openFake();
  const proxy = await changingProxy(fake.url);
  proxy.use(change);
  const file = join(await newFolder(), 'exchanges.json');
  const httpClient = recordExchanges({ file, mode: 'record', redact: { profile: 'bundle' } });
  const client = newClient(fake.configFor({ ...rooted(proxy.url), httpClient, maxRetries: 0, wholeReplies: true }));
  await calls[name](client, model).catch(() => undefined);
  await httpClient.save();
  return readExchanges(readFileSync(file, 'utf8'));
}

function rooted(url: string) {
  const endpoints = { messages: `${url}/api/anthropic`, responses: `${url}/api/v1`, agents: `${url}/api`, monitor: `${url}/api/monitor` };
  return { baseURL: `${url}/api/paas/v4`, endpoints };
}

/** Kind and place of each finding that the service is the cause of. */
export async function found(file: ExchangeFile): Promise<readonly ExchangeFinding[]> {
  return judged(file).findings;
}

type Node = Record<string, unknown>;

/** Changes every JSON body. */
export function body(edit: (value: Node & { [name: string]: never }) => unknown): Change {
  return ({ text, headers }) => (headers['content-type']?.includes('json') ? { text: edited(text, edit) } : undefined);
}

/** Changes the events of a type, or every event. */
export function event(type: string | undefined, edit: (value: Node & { [name: string]: never }) => unknown): Change {
  const lines = (text: string): string =>
    text.replace(/^data: (\{.*\})$/gm, (line, json: string) =>
      type === undefined || (JSON.parse(json) as Node)['type'] === type ? `data: ${edited(json, edit)}` : line,
    );
  return ({ text, headers }) => (headers['content-type']?.includes('event-stream') ? { text: lines(text) } : undefined);
}

function edited(text: string, edit: (value: Node & { [name: string]: never }) => unknown): string {
  const value = JSON.parse(text) as Node & { [name: string]: never };
  return JSON.stringify(edit(value) ?? value);
}
