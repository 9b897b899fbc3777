// Programs of users that the compiler accepts, by their subject.
import { allRoutes } from '../../src/generated/routes.ts';
import { foreignFields } from '../validation/foreign-fields.ts';

export const start = `
import { finishError, newClient, textDeltas, toReadableStream, toSSE, type ChatRequest, type Config, type Context, type Message } from 'modelsvc';
export const client = newClient({ apiKey: 'key' });
const user = { role: 'user', content: 'hi' } as const;
const model = 'glm-4.6';
`;

/** The fields that an operation does not have, as the text of a literal. */
function foreignTo(id: string): string {
  const own = { effort: 1, stream_tool_call: 1, ...allRoutes.find((route) => route.id === id)?.rules?.body?.properties };
  return [...new Set(foreignFields)]
    .filter((name) => !(name in own))
    .map((name) => `${name}: 1`)
    .join(', ');
}

export const programs: Readonly<Record<string, string>> = {
  'the usual loop over a chat stream': `
for await (const chunk of client.chat().stream(undefined, { model, messages: [user] }))
  process.stdout.write(chunk.choices[0]?.delta.content ?? '');
const reply = await client.chat().create(undefined, { model, messages: [user] });
process.stdout.write(reply.choices[0]?.message.content ?? '');
export const text: string | null | undefined = reply.choices[0]?.message.content;
`,
  'streams for a browser': `
const stream = client.chat().stream(undefined, { model, messages: [user] });
export const bytes = new Response(toSSE(stream, { onError: (error) => console.error(error) }), { headers: { 'content-type': 'text/event-stream' } });
export const text = new Response(toReadableStream(textDeltas(stream)).pipeThrough(new TextEncoderStream()));
for await (const block of toSSE(textDeltas(stream))) process.stdout.write(block);
for await (const chunk of toReadableStream(stream)) process.stdout.write(chunk.choices[0]?.delta.content ?? '');
const [one, other] = toReadableStream(stream).tee();
for await (const chunk of one) void chunk.usage;
void (await other.getReader().read()).value?.usage;
`,
  'events and blocks of the message surface': `
const request = { model, max_tokens: 64, messages: [user] };
for await (const event of client.anthropic().stream(undefined, request)) {
  if (event.type === 'content_block_delta' && event.data.delta.type === 'text_delta') process.stdout.write(event.data.delta.text);
  if (event.type === 'content_block_start' && event.data.content_block.type === 'tool_use') process.stdout.write(event.data.content_block.name);
}
const reply = await client.anthropic().create(undefined, request);
for (const block of reply.content) {
  if (block.type === 'text') process.stdout.write(block.text);
  else if (block.type === 'thinking') process.stdout.write(block.thinking);
  else if (block.type === 'tool_use') process.stdout.write(block.id + block.name + JSON.stringify(block.input));
}
await client.anthropic().create(undefined, { ...request, messages: [user, { role: 'assistant', content: reply.content }, user] });
await client.chat().create(undefined, { model, messages: [user, (await client.chat().create(undefined, { model, messages: [user] })).choices[0]!.message] });
`,
  'what a strict catch has': `
import { responseInfo, toolRun } from 'modelsvc';
try {
  await client.chat().create(undefined, { model, messages: [user] });
} catch (caught: unknown) {
  console.error(toolRun(caught)?.transcript, responseInfo(caught)?.requestId, finishError(caught)?.reason);
}
`,
  'readonly lists and constant requests': `
const chat = {
  model,
  messages: [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: [{ type: 'text', text: 'hi' }, { type: 'image_url', image_url: { url: 'https://example.com' } }] },
    { role: 'assistant', content: null, tool_calls: [{ id: '1', type: 'function', function: { name: 'f', arguments: '{}' } }] },
    { role: 'tool', tool_call_id: '1', content: 'done' },
  ],
  tools: [
    { type: 'function', function: { name: 'f', description: 'F.', parameters: { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] } } },
    { type: 'web_search', web_search: { search_query: ['a'] } },
  ],
  tool_choice: 'auto',
  stop: ['END'],
} as const;
await client.chat().create(undefined, chat);
await client.chat().createAsync(undefined, chat);
for await (const chunk of client.chat().stream(undefined, chat)) void chunk;
await client.chat().runWithTools(undefined, chat, () => '');
const messages = {
  model,
  max_tokens: 64,
  system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
  messages: [
    { role: 'user', content: [{ type: 'text', text: 'hi' }, { type: 'image', source: { type: 'base64', media_type: 'image/png', data: '' } }] },
    { role: 'assistant', content: [{ type: 'tool_use', id: '1', name: 'f', input: { a: ['b'] } }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: '1', content: [{ type: 'text', text: 'done' }] }] },
  ],
  tools: [{ name: 'f', input_schema: { type: 'object', properties: { a: { type: 'array', items: { type: 'string' } } }, required: ['a'] } }],
  stop_sequences: ['END'],
} as const;
await client.anthropic().create(undefined, messages);
for await (const event of client.anthropic().stream(undefined, messages)) void event;
await client.anthropic().runWithTools(undefined, messages, () => '');
await client.embeddings().create(undefined, { model: 'embedding-3', input: ['a', 'b'] } as const);
await client.rerank().create(undefined, { model: 'rerank', query: 'a', documents: ['a', 'b'] } as const);
await client.tools().tokenize(undefined, { model, messages: [user] } as const);
await client.tools().webReader({ url: 'https://example.com', timeout: 20, return_format: 'text' });
export const ctx = { headers: { 'x-a': '1' }, timeout: 5, signal: [AbortSignal.timeout(5)] } as const satisfies Context;
`,
  'undefined in optional fields': `
const signal = undefined as AbortSignal | undefined;
const temperature = undefined as number | undefined;
const empty = undefined;
export const config: Config = {
  apiKey: 'key', baseURL: empty, httpClient: empty, timeout: empty, maxRetries: empty, retryDelay: empty, chinaAPIKey: empty, region: empty,
  userAgent: empty, hooks: empty, disableToolSchemaCompat: empty, endpoints: empty, streamIdleTimeout: empty, streamContentTimeout: empty,
  maxReplyBytes: empty, maxEventBytes: empty, maxBufferedBytes: empty, maxErrorBytes: empty, maxSockets: empty, concurrency: empty,
};
export const others: Config[] = [
  { apiKey: 'key', endpoints: { messages: empty } },
  { apiKey: 'key', concurrency: { max: empty, perModel: empty } },
];
const ctx = { signal, timeout: empty, maxRetries: empty, headers: empty, service: empty, model: empty, priority: empty, queueTimeout: empty, rawBody: empty };
await client.chat().create(ctx, {
  model, messages: [{ role: 'user', content: 'hi', name: empty, images: empty }], temperature, tools: empty, stop: empty, stream_tool_call: empty,
});
await client.anthropic().create({ signal }, { model, max_tokens: 64, messages: [user], system: empty, temperature });
await client.files().list({ signal }, { purpose: 'batch', after: empty });
await client.files().upload({ signal }, { file: new Blob(), purpose: 'batch', onProgress: empty });
await client.waitForResult({ signal }, 'id', { maxWait: empty, interval: empty });
await client.chat().runWithTools({ signal }, { model, messages: [user] }, () => '', { onRound: empty });
await client.bindings('chat').GET('/files', { params: { query: { purpose: 'batch', after: empty } } });
`,
  'decisions that a variable or a function has widened': `
import { defineTool, type ToolDecision } from 'modelsvc';
const request = { model, messages: [user] };
const tool = defineTool({ name: 'x', input: { type: 'object', properties: { path: { type: 'string' } } }, run: () => '', approve: async () => 'allow' });
const allow = () => 'allow';
const ask = async (name: string) => (name === 'x' ? { deny: 'no' } : 'allow');
const options = { onRound: () => ['allow'] };
const sometimes = ({ calls }: { calls: readonly { name: string }[] }) => calls.map(({ name }) => (name === 'x' ? { replace: 'a' } : { deny: 'no' }));
await client.chat().runWithTools(undefined, request, [tool], options);
await client.chat().runWithTools(undefined, request, [tool], { onRound: sometimes });
await client.chat().runWithTools(undefined, request, [tool], { onRound: ({ calls }) => calls.map(allow) });
await client.anthropic().runWithTools(undefined, { ...request, max_tokens: 9 }, [tool], { onRound: ({ calls }) => Promise.all(calls.map(({ name }) => ask(name))) });
for await (const event of client.responses().streamWithTools(undefined, { model, input: 'hi' }, [tool], {
  onRound: async ({ calls }) => {
    const decisions: (ToolDecision | string)[] = [];
    for (const call of calls) decisions.push(await ask(call.name));
    return decisions;
  },
})) void event;
for await (const chunk of client.chat().streamWithTools(undefined, request, [tool], {
  onRound: ({ calls }) => {
    let decision = 'allow';
    return calls.map((call) => (call.name === 'x' && call.input?.path === '/' ? { deny: 'no' } : decision));
  },
})) void chunk;
`,
  'transcripts in requests': `
import { defineTool, toolRun, type AnthropicMessage, type ResponsesInputItem } from 'modelsvc';
const tool = defineTool({ name: 'x', input: { type: 'object' }, run: () => '' });
const chat: ChatRequest = { model, messages: [user] };
let messages: Message[] = toolRun(await client.chat().runWithTools(undefined, chat, [tool]))?.transcript ?? [];
messages.push(user);
await client.chat().create(undefined, { ...chat, messages });
await client.chat().createAsync(undefined, { ...chat, messages: [...messages, user] });
const stream = client.chat().streamWithTools(undefined, { ...chat, messages }, [tool]);
for await (const chunk of stream) void chunk;
messages = toolRun(stream)!.transcript;
for await (const chunk of client.chat().stream(undefined, { ...chat, messages })) void chunk;
await client.chat().runWithTools(undefined, { model, messages: toolRun(stream)!.transcript }, [tool]);
const message = { model, max_tokens: 9, messages: [user] };
let turns: AnthropicMessage[] = toolRun(await client.anthropic().runWithTools(undefined, message, [tool]))!.transcript;
await client.anthropic().create(undefined, { ...message, messages: [...turns, user] });
await client.anthropic().countTokens(undefined, { model, messages: turns });
const events = client.anthropic().streamWithTools(undefined, { ...message, messages: turns }, [tool]);
for await (const event of events) void event;
turns = toolRun(events)!.transcript;
for await (const event of client.anthropic().stream(undefined, { ...message, messages: turns })) void event;
let items: ResponsesInputItem[] = toolRun(await client.responses().runWithTools(undefined, { model, input: 'hi' }, [tool]))!.transcript;
await client.responses().create(undefined, { model, input: [...items, user] });
const responses = client.responses().streamWithTools(undefined, { model, input: items }, [tool]);
for await (const event of responses) void event;
items = toolRun(responses)!.transcript;
for await (const event of client.responses().stream(undefined, { model, input: items })) void event;
export const afterFailure = async (error: Error): Promise<void> => {
  const run = toolRun(error);
  if (run?.surface === 'chat') await client.chat().create(undefined, { ...chat, messages: run.transcript });
  if (run?.surface === 'messages') await client.anthropic().create(undefined, { ...message, messages: run.transcript });
  if (run?.surface === 'responses') await client.responses().create(undefined, { model, input: run.transcript });
};
`,
  'the facts of a result, without a question mark': `
import { responseInfo, toolRun } from 'modelsvc';
const request = { model, messages: [user] };
const { status, headers, bytes } = responseInfo(await client.chat().create({ rawBody: true }, request));
export const size: number | undefined = bytes?.length;
export const ids = [
  responseInfo(await client.anthropic().create({ rawBody: true }, { ...request, max_tokens: 9 })).requestId,
  responseInfo(await client.responses().runWithTools(undefined, { model, input: 'hi' }, () => '')).requestId,
  responseInfo(await client.models().getTextModels(undefined)).requestId,
  responseInfo(await client.files().content(undefined, 'id')).requestId,
  responseInfo(await client.waitForResult(undefined, 'id')).requestId,
  responseInfo(client.chat().stream(undefined, request))?.requestId,
  responseInfo({ ...request })?.requestId,
];
void [status, headers.get('content-type')];
`,
  'types of openai': `
import type OpenAI from 'openai';
const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'hi' }];
const tools: OpenAI.ChatCompletionTool[] = [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }];
const choice: OpenAI.ChatCompletionToolChoiceOption = 'auto';
await client.chat().create(undefined, { model, messages, tools });
for await (const chunk of client.chat().stream(undefined, { model, messages, tools })) void chunk;
await client.chat().runWithTools(undefined, { model, messages, tools }, () => '');
export { choice };
`,
  'types of @anthropic-ai/sdk': `
import type Anthropic from '@anthropic-ai/sdk';
const messages: Anthropic.MessageParam[] = [{ role: 'user', content: 'hi' }];
const tools: Anthropic.Tool[] = [{ name: 'f', input_schema: { type: 'object' } }];
const system: Anthropic.TextBlockParam[] = [{ type: 'text', text: 'Be brief.' }];
await client.anthropic().create(undefined, { model, max_tokens: 64, messages, tools, system });
for await (const event of client.anthropic().stream(undefined, { model, max_tokens: 64, messages, tools })) void event;
await client.anthropic().runWithTools(undefined, { model, max_tokens: 64, messages, tools }, () => '');
`,
  'fetch functions as httpClient': `
import { Agent, fetch as undiciFetch, ProxyAgent } from 'undici';
const dispatcher = new Agent();
const nodeFetchLike = async (url: string | { href: string }, init?: { method?: string; headers?: Record<string, string>; body?: unknown; signal?: AbortSignal | null }) =>
  new Response(JSON.stringify([url, init]));
export const configs: Config[] = [
  { apiKey: 'key', httpClient: fetch },
  { apiKey: 'key', httpClient: globalThis.fetch },
  { apiKey: 'key', httpClient: undiciFetch },
  { apiKey: 'key', httpClient: (url, init) => fetch(url, init) },
  { apiKey: 'key', httpClient: (url, init) => undiciFetch(url, { ...init, dispatcher }) },
  { apiKey: 'key', httpClient: (url, init) => undiciFetch(url, { ...init, dispatcher: new ProxyAgent('http://127.0.0.1:1') }) },
  { apiKey: 'key', httpClient: (url: string, init: RequestInit) => fetch(url, init) },
  { apiKey: 'key', httpClient: async (url: string | URL | Request, init?: RequestInit) => fetch(url, { ...init, keepalive: true }) },
  { apiKey: 'key', httpClient: async () => new Response('{}') },
  { apiKey: 'key', httpClient: nodeFetchLike },
];
`,
  'fields that the types do not list, in requests written inline': `
await client.chat().create(undefined, { model, messages: [user], some_new_field: 1 });
for await (const chunk of client.chat().stream(undefined, { model, messages: [user], some_new_field: { a: 1 } })) void chunk;
await client.chat().createAsync(undefined, { model, messages: [user], some_new_field: 1 });
await client.anthropic().create(undefined, { model, max_tokens: 1, messages: [user], some_new_field: 1 });
await client.embeddings().create(undefined, { model, input: 'a', some_new_field: 1 });
await client.images().generate(undefined, { model: 'cogview-4', prompt: 'a', some_new_field: 1 });
interface Own { readonly model: string; readonly messages: Message[]; readonly some_new_field: number }
await client.chat().create(undefined, { model, messages: [user], some_new_field: 1 } as Own);
`,
  'a request in any other form': `
const request: ChatRequest = { model, messages: [user] };
export const ask = (own: ChatRequest) => client.chat().create(undefined, own);
export const asked = (own: Partial<ChatRequest>) => client.chat().create(undefined, { ...request, ...own, some_new_field: 1 });
export const generic = <Own extends ChatRequest>(own: Own) => client.chat().stream(undefined, own);
const open: ChatRequest & Record<string, unknown> = request as never;
await client.chat().create(undefined, open);
await client.chat().create(undefined, JSON.parse('{}'));
const passed: Parameters<ReturnType<typeof client.chat>['create']>[1] = { model, messages: [user], some_new_field: 1 };
await client.chat().create(undefined, passed);
const other: Pick<ReturnType<typeof client.chat>, 'create'> = { create: (...given: unknown[]) => client.chat().create(given.at(-1) as ChatRequest) };
await other.create({ model, messages: [user], max_tokens: 5 });
await other.create(undefined, { model, messages: [user], max_tokens: 5 });
export const text = (await client.responses().parse<{ a: string }>(undefined, { model, input: 'a' }, undefined as never)).output;
`,
  'fields of other services and engines': `
await client.chat().create(undefined, { model, messages: [user], ${foreignTo('chat.create')} });
await client.anthropic().create(undefined, { model, max_tokens: 1, messages: [user], ${foreignTo('anthropic.create')} });
await client.responses().create(undefined, { model, input: 'a', ${foreignTo('responses.create')} });
`,
};
