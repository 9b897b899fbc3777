/** The server of a travel site: the port of `from-ai.before.txt`. */
import { writeFile } from 'node:fs/promises';
import { z } from 'zod';
import { fileFromPath } from '../../src/node/index.ts';
import {
  type Client,
  collecting,
  contentText,
  defineTool,
  isAbortError,
  isApiError,
  isOutputError,
  type Message,
  responseFormat,
  textDeltas,
  toolRun,
  toResponse,
} from '../../src/overlay/index.ts';

const model = 'glm-4.6';

/** A slogan for a city. */
export async function slogan(c: Client, city: string, signal?: AbortSignal): Promise<string> {
  const reply = await c.chat().create(
    { signal, maxRetries: 1, headers: { 'x-page': 'city' } },
    {
      model,
      messages: [
        { role: 'system', content: 'You write for a travel site.' },
        { role: 'user', content: `A slogan for ${city}.` },
      ],
      temperature: 0.9,
      max_tokens: 200,
      stop: ['\n'],
      thinking: { type: 'disabled' },
    },
  );
  const [choice] = reply.choices;
  console.log(reply.usage?.prompt_tokens, reply.usage?.completion_tokens, choice?.finish_reason, choice?.message.reasoning_content ?? '');
  return contentText(choice?.message.content);
}

/** The chat of a page, as events with texts. */
export async function POST(c: Client, request: Request): Promise<Response> {
  const { messages } = (await request.json()) as { messages: Message[] };
  const stream = collecting(c.chat().stream(request.signal, { model, messages }));
  async function* texts(): AsyncGenerator<string> {
    yield* textDeltas(stream);
    const response = await stream.response();
    console.log('sent', contentText(response.choices[0]?.message.content).length, response.usage?.total_tokens);
  }
  return toResponse(texts(), { onError: (error) => console.error(String(error)) });
}

/** Reasoning and answer, part by part. */
export async function* parts(c: Client, prompt: string): AsyncGenerator<string> {
  const stream = collecting(c.chat().stream(undefined, { model, messages: [{ role: 'user', content: prompt }] }));
  for await (const chunk of stream) {
    const delta = chunk.choices[0]?.delta;
    if (delta?.reasoning_content) yield `(${delta.reasoning_content})`;
    if (delta?.content) yield contentText(delta.content);
  }
  const response = await stream.response();
  console.log(response.choices[0]?.finish_reason, response.usage?.total_tokens);
}

const Trip = z.object({ city: z.string(), days: z.number().int(), sights: z.array(z.string()).describe('Names of sights') });

/** A trip as data. */
export async function plan(c: Client, wish: string): Promise<z.infer<typeof Trip> | undefined> {
  const format = responseFormat(Trip, { name: 'trip' });
  try {
    return await format.parse(await c.chat().create(undefined, { model, messages: [{ role: 'user', content: wish }], response_format: format }));
  } catch (error) {
    if (!isOutputError(error)) throw error;
    console.error('no trip in', error.text.length, 'characters');
    return undefined;
  }
}

/** Plan with tools, in rounds. */
export async function book(c: Client, wish: string, seats: Map<string, number>, signal?: AbortSignal) {
  const freeSeats = defineTool({
    name: 'free_seats',
    description: 'Free seats of a train.',
    input: z.object({ train: z.string() }),
    run: async ({ train }, { signal, callId }) => {
      signal.throwIfAborted();
      return { train, free: seats.get(train) ?? 0, ticket: callId };
    },
  });
  const now = defineTool({ name: 'now', description: 'The time.', input: z.object({}), run: () => '12:00' });
  const request = { model, messages: [{ role: 'user', content: wish }], tool_choice: 'auto' };
  const reply = await c.chat().runWithToolsLimit(signal, request, [freeSeats, now], 3, {
    onRound: ({ calls, response }) => {
      for (const call of calls) console.log('step', call.name, JSON.stringify(call.input));
      console.log('step', calls.length, response.usage?.total_tokens, response.choices[0]?.finish_reason);
    },
  });
  const run = toolRun(reply);
  return {
    text: contentText(reply.choices[0]?.message.content),
    steps: run?.modelCalls,
    tokens: run?.usage?.total_tokens,
    messages: run?.transcript ?? [],
  };
}

/** Cities in the order of their likeness to the first. */
export async function alike(c: Client, cities: string[]): Promise<string[]> {
  const { data } = await c.embeddings().create(undefined, { model: 'embedding-3', input: cities });
  const [first = []] = data.map(({ embedding }) => embedding);
  return cities
    .map((city, index) => ({ city, score: cosine(first, data[index]?.embedding ?? []) }))
    .sort((a, b) => b.score - a.score)
    .map(({ city }) => city);
}

function cosine(a: readonly number[], b: readonly number[]): number {
  const dot = (x: readonly number[], y: readonly number[]) => x.reduce((sum, value, index) => sum + value * (y[index] ?? 0), 0);
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
}

/** A poster in a file. */
export async function poster(c: Client, city: string, path: string): Promise<void> {
  const { data } = await c.images().generate(undefined, { model: 'cogview-4', prompt: `A poster of ${city}`, size: '1024x1024' });
  const url = data[0]?.url;
  if (!url) throw new Error('no image');
  const image = await fetch(url);
  await writeFile(path, new Uint8Array(await image.arrayBuffer()));
}

/** The words of a voice message. */
export async function heard(c: Client, path: string): Promise<string> {
  const { text } = await c.audio().transcribe(undefined, { model: 'glm-asr-2512', file: fileFromPath(path) });
  return text;
}

export function explain(error: unknown): string {
  if (isApiError(error)) return `${error.status}${error.retryable ? ', try again' : ''}`;
  if (isAbortError(error)) return 'stopped';
  throw error;
}
