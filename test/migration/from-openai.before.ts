/** The original of `from-openai.ts`: the chat of a support desk, on `openai` 6. */
import { createReadStream } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import OpenAI from 'openai';
import { zodFunction, zodResponseFormat } from 'openai/helpers/zod';
import type { ChatCompletionMessageParam } from 'openai/resources/chat/completions';
import { z } from 'zod';

export interface Settings {
  apiKey: string;
  baseURL?: string;
  tenant: string;
}

export function connect({ apiKey, baseURL, tenant }: Settings): OpenAI {
  return new OpenAI({ apiKey, baseURL, timeout: 60_000, maxRetries: 4, defaultHeaders: { 'x-tenant': tenant } });
}

/** Stream an answer, and return it with its tokens. */
export async function answer(client: OpenAI, history: ChatCompletionMessageParam[], write: (text: string) => void, signal?: AbortSignal) {
  const stream = client.chat.completions.stream(
    { model: 'gpt-5-mini', messages: history, temperature: 0.2, stream_options: { include_usage: true } },
    { signal, headers: { 'x-conversation': String(history.length) } },
  );
  stream.on('content', (delta) => write(delta));
  const completion = await stream.finalChatCompletion();
  const [choice] = completion.choices;
  if (choice?.finish_reason === 'length') write('…');
  history.push({ role: 'assistant', content: choice?.message.content ?? '' });
  return { text: choice?.message.content ?? '', tokens: completion.usage?.total_tokens ?? 0 };
}

const OrderQuery = z.object({ orderId: z.string(), detail: z.enum(['short', 'long']).default('short') });

/** Answer with the help of the order system. */
export async function answerWithOrders(client: OpenAI, question: string, orders: Map<string, string>): Promise<string> {
  const runner = client.chat.completions.runTools(
    {
      model: 'gpt-5-mini',
      messages: [
        { role: 'system', content: 'You work at the support desk.' },
        { role: 'user', content: question },
      ],
      tools: [
        zodFunction({
          name: 'find_order',
          description: 'Find an order by its id.',
          parameters: OrderQuery,
          function: ({ orderId, detail }) => {
            const state = orders.get(orderId);
            if (state === undefined) throw new Error(`no order ${orderId}`);
            return { orderId, state, detail };
          },
        }),
      ],
    },
    { maxChatCompletions: 5 },
  );
  runner.on('functionToolCall', (call) => console.log('tool', call.name));
  const text = await runner.finalContent();
  console.log('tokens of all rounds', (await runner.totalUsage()).total_tokens);
  return text ?? '';
}

const Ticket = z.object({ title: z.string(), urgency: z.enum(['low', 'high']), tags: z.array(z.string()) });

/** Turn a complaint into a ticket. */
export async function ticketOf(client: OpenAI, complaint: string): Promise<z.infer<typeof Ticket> | undefined> {
  const completion = await client.withOptions({ maxRetries: 0, timeout: 20_000 }).chat.completions.parse({
    model: 'gpt-5-mini',
    messages: [{ role: 'user', content: complaint }],
    response_format: zodResponseFormat(Ticket, 'ticket'),
  });
  const message = completion.choices[0]?.message;
  if (message?.refusal) throw new Error(message.refusal);
  return message?.parsed ?? undefined;
}

/** The article of the knowledge base that is nearest to the question. */
export async function nearest(client: OpenAI, question: string, articles: string[]): Promise<string | undefined> {
  const { data } = await client.embeddings.create({ model: 'text-embedding-3-small', input: [question, ...articles], dimensions: 256 });
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
export async function summarizeDay(client: OpenAI, path: string, interval = 10_000): Promise<string[]> {
  const file = await client.files.create({ file: createReadStream(path), purpose: 'batch' });
  let batch = await client.batches.create({
    input_file_id: file.id,
    endpoint: '/v1/chat/completions',
    completion_window: '24h',
    metadata: { kind: 'summary' },
  });
  while (!['completed', 'failed', 'expired', 'cancelled'].includes(batch.status)) {
    await sleep(interval);
    batch = await client.batches.retrieve(batch.id);
    console.log(batch.status, batch.request_counts?.completed, 'of', batch.request_counts?.total);
  }
  if (!batch.output_file_id) return [];
  const lines = (await (await client.files.content(batch.output_file_id)).text()).trim().split('\n');
  return lines.map((line) => JSON.parse(line).response.body.choices[0].message.content);
}

/** Is a text harmless? And which request checked it? */
export async function isHarmless(client: OpenAI, text: string): Promise<boolean> {
  const { data, request_id } = await client.moderations.create({ model: 'omni-moderation-latest', input: text }).withResponse();
  console.log('checked by', request_id);
  return data.results.every(({ flagged }) => !flagged);
}

export async function modelNames(client: OpenAI): Promise<string[]> {
  const names: string[] = [];
  for await (const { id } of client.models.list()) names.push(id);
  return names;
}

/** What the customer reads if a call fails. */
export function apology(error: unknown): string {
  if (error instanceof OpenAI.APIUserAbortError) return '';
  if (error instanceof OpenAI.APIConnectionTimeoutError) return 'That took too long.';
  if (error instanceof OpenAI.APIConnectionError) return 'We are offline.';
  if (error instanceof OpenAI.RateLimitError) return `Please wait ${error.headers?.get('retry-after') ?? 'a few'} seconds.`;
  if (error instanceof OpenAI.AuthenticationError) return 'We are closed.';
  if (error instanceof OpenAI.BadRequestError) return `Please rephrase (${error.code}).`;
  if (error instanceof OpenAI.APIError) return `Our fault: ${error.status}, ${error.requestID}.`;
  throw error;
}
