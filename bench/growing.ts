/**
 * `npx tsx bench/growing.ts`: CPU of an object that grows to 1 MB, in pieces of 20 characters from memory, in addition to `openai` and `ai`. Each step looks
 * at one field. A client that took more than a minute for a size is not measured with the next. `npx tsx bench/growing.ts modelsvc` measures one.
 */
import { createOpenAI } from '@ai-sdk/openai';
import { streamObject } from 'ai';
import OpenAI from 'openai';
import { zodResponseFormat } from 'openai/helpers/zod';
import { z } from 'zod';
import { newClient, outputFormat } from '../src/overlay/index.ts';

const schema = z.object({ rows: z.array(z.object({ id: z.number(), text: z.string() })) });
const pieceLength = 20;
const limitMs = 60_000;

/** A reply in frames of chat, 100 in a block, whose text is an object of so many bytes. */
function replyOf(bytes: number): () => Promise<Response> {
  const row = (id: number): object => ({ id, text: `Row ${id} has a text of some length, as the rows of an answer have.` });
  const rows = Array.from({ length: Math.round(bytes / JSON.stringify(row(1000)).length) }, (_, id) => row(id));
  const pieces = JSON.stringify({ rows }).match(new RegExp(`.{1,${pieceLength}}`, 'g')) ?? [];
  const frame = (delta: object, reason: string | null): string =>
    `data: ${JSON.stringify({ id: 'r', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: reason }] })}\n\n`;
  const frames = [...pieces.map((content) => frame({ role: 'assistant', content }, null)), `${frame({}, 'stop')}data: [DONE]\n\n`];
  const encoder = new TextEncoder();
  const blocks = Array.from({ length: Math.ceil(frames.length / 100) }, (_, at) => encoder.encode(frames.slice(100 * at, 100 * at + 100).join('')));
  return async () => {
    let next = 0;
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
      pull: (controller) => (next < blocks.length ? controller.enqueue(blocks[next++] as never) : controller.close()),
    });
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  };
}

const root = 'http://127.0.0.1:9/v1';
const messages = [{ role: 'user' as const, content: 'hi' }];

/** Reads a growing object to its end, and returns the rows of the validated one. */
const clients: Readonly<Record<string, (fetch: () => Promise<Response>) => Promise<number>>> = {
  modelsvc: async (fetch) => {
    const client = newClient({ apiKey: 'k', baseURL: root, httpClient: fetch });
    const growing = outputFormat(schema).partial(client.chat().stream(undefined, { model: 'm', messages }));
    for await (const { rows } of growing) void rows?.length;
    return (await growing.value()).rows.length;
  },
  openai: async (fetch) => {
    const client = new OpenAI({ apiKey: 'k', baseURL: root, fetch });
    const stream = client.chat.completions.stream({ model: 'm', messages, response_format: zodResponseFormat(schema, 'answer') });
    stream.on('content.delta', ({ parsed }) => void (parsed as { rows?: unknown[] } | null)?.rows?.length);
    return (await stream.finalChatCompletion()).choices[0]?.message.parsed?.rows.length ?? 0;
  },
  ai: async (fetch) => {
    const { partialObjectStream, object } = streamObject({ model: createOpenAI({ apiKey: 'k', baseURL: root, fetch }).chat('m'), schema, messages });
    for await (const { rows } of partialObjectStream) void rows?.length;
    return (await object).rows.length;
  },
};

const slow = new Set(Object.keys(clients).filter((name) => process.argv.length > 2 && !process.argv.includes(name)));
const expected = new Map<number, number>();
for (const kilobytes of [4, 16, 64, 256, 1024]) {
  const fetch = replyOf(kilobytes * 1024);
  process.stdout.write(`${String(kilobytes).padStart(5)} KB`);
  for (const [name, read] of Object.entries(clients)) {
    if (slow.has(name)) continue;
    const before = process.cpuUsage();
    const rows = await read(fetch);
    const { user, system } = process.cpuUsage(before);
    const ms = (user + system) / 1000;
    if (rows !== (expected.get(kilobytes) ?? rows)) throw new Error(`${name} has ${rows} rows`);
    expected.set(kilobytes, rows);
    if (ms > limitMs) slow.add(name);
    process.stdout.write(`  ${name} ${ms.toFixed(0)} ms`);
  }
  console.log('');
}
