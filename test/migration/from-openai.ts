/** The chat of a support desk: the port of `from-openai.before.ts`. */

import { z } from 'zod';
import { fileFromPath } from '../../src/node/index.ts';
import {
  batchCounts,
  type Client,
  collecting,
  contentText,
  defineTool,
  finishError,
  isAbortError,
  isApiError,
  isConnectionError,
  isTimeoutError,
  type Message,
  newClient,
  responseFormat,
  responseInfo,
  textDeltas,
  toolRun,
} from '../../src/overlay/index.ts';

export interface Settings {
  apiKey: string;
  baseURL?: string;
  endpoints?: string;
  tenant: string;
}

export function connect({ apiKey, baseURL, endpoints, tenant }: Settings): Client {
  return newClient({ apiKey, baseURL, endpoints, timeout: 60_000, maxRetries: 4, headers: { 'x-tenant': tenant } });
}

/** Stream an answer, and return it with its tokens. */
export async function answer(client: Client, history: Message[], write: (text: string) => void, signal?: AbortSignal) {
  const stream = collecting(
    client
      .chat()
      .stream({ signal, headers: { 'x-conversation': String(history.length) } }, { model: 'glm-4.6', messages: history, temperature: 0.2 }),
  );
  for await (const text of textDeltas(stream)) write(text);
  const completion = await stream.response();
  if (finishError(completion)?.reason === 'length') write('…');
  const text = contentText(completion.choices[0]?.message.content);
  history.push({ role: 'assistant', content: text });
  return { text, tokens: completion.usage?.total_tokens ?? 0 };
}

const OrderQuery = z.object({ orderId: z.string(), detail: z.enum(['short', 'long']).default('short') });

/** Answer with the help of the order system. */
export async function answerWithOrders(client: Client, question: string, orders: Map<string, string>): Promise<string> {
  const findOrder = defineTool({
    name: 'find_order',
    description: 'Find an order by its id.',
    input: OrderQuery,
    run: ({ orderId, detail }) => {
      const state = orders.get(orderId);
      if (state === undefined) throw new Error(`no order ${orderId}`);
      return { orderId, state, detail };
    },
  });
  const reply = await client.chat().runWithToolsLimit(
    undefined,
    {
      model: 'glm-4.6',
      messages: [
        { role: 'system', content: 'You work at the support desk.' },
        { role: 'user', content: question },
      ],
    },
    [findOrder],
    // Rounds of tools: the model is called at most five times.
    4,
    {
      onRound: ({ calls }) => {
        for (const call of calls) console.log('tool', call.name);
      },
    },
  );
  console.log('tokens of all rounds', toolRun(reply)?.usage?.total_tokens);
  return contentText(reply.choices[0]?.message.content);
}

const Ticket = z.object({ title: z.string(), urgency: z.enum(['low', 'high']), tags: z.array(z.string()) });

/** Turn a complaint into a ticket. */
export async function ticketOf(client: Client, complaint: string): Promise<z.infer<typeof Ticket> | undefined> {
  const format = responseFormat(Ticket, { name: 'ticket' });
  const reply = await client
    .with({ maxRetries: 0, timeout: 20_000 })
    .chat()
    .create(undefined, {
      model: 'glm-4.6',
      messages: [{ role: 'user', content: complaint }],
      response_format: format,
    });
  return await format.parse(reply);
}

/** The article of the knowledge base that is nearest to the question. */
export async function nearest(client: Client, question: string, articles: string[]): Promise<string | undefined> {
  const { data } = await client.embeddings().create(undefined, { model: 'embedding-3', input: [question, ...articles], dimensions: 256 });
  const [first, ...others] = data.map(({ embedding }) => embedding);
  if (!first) return undefined;
  const scores = others.map((vector) => cosine(first, vector));
  return articles[scores.indexOf(Math.max(...scores))];
}

function cosine(a: readonly number[], b: readonly number[]): number {
  const dot = (x: readonly number[], y: readonly number[]) => x.reduce((sum, value, index) => sum + value * (y[index] ?? 0), 0);
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
}

/** Summarize the chats of a day overnight: a file of requests, one per line. */
export async function summarizeDay(client: Client, path: string, interval = 10_000): Promise<string[]> {
  const file = await client.files().upload(undefined, { file: fileFromPath(path), purpose: 'batch' });
  const started = await client.batch().create(undefined, {
    input_file_id: file.id,
    endpoint: '/v4/chat/completions',
    completion_window: '24h',
    metadata: { kind: 'summary' },
  });
  const batch = await client.batch().wait(undefined, started.id, {
    interval,
    onProgress: (state) => {
      const { completed, total } = batchCounts(state);
      console.log(state.status, completed, 'of', total);
    },
  });
  if (!batch.output_file_id) return [];
  const content = await client.files().content(undefined, batch.output_file_id);
  const lines = (await content.text()).trim().split('\n');
  return lines.map((line) => JSON.parse(line).response.body.choices[0].message.content);
}

/** Is a text harmless? And which request checked it? */
export async function isHarmless(client: Client, text: string): Promise<boolean> {
  const reply = await client.moderations().create(undefined, { model: 'moderation', input: text });
  console.log('checked by', responseInfo(reply)?.requestId);
  return reply.result_list.every(({ risk_level }) => risk_level === 'PASS');
}

export async function modelNames(client: Client): Promise<string[]> {
  const { data } = await client.models().list(undefined);
  return data.map(({ id }) => id);
}

/** What the customer reads if a call fails. */
export function apology(error: unknown): string {
  if (isAbortError(error)) return '';
  if (isTimeoutError(error)) return 'That took too long.';
  if (isConnectionError(error)) return 'We are offline.';
  if (isApiError(error)) {
    if (error.category === 'rate' || error.category === 'quota' || error.category === 'billing')
      return `Please wait ${error.retryAfter === undefined ? 'a few' : Math.ceil(error.retryAfter / 1000)} seconds.`;
    if (error.category === 'auth') return 'We are closed.';
    if (error.category === 'parameter') return `Please rephrase (${error.code}).`;
    return `Our fault: ${error.status}, ${error.requestId}.`;
  }
  throw error;
}
