/**
 * Stream an answer to a browser as Server-Sent Events. Without a port, the program reads one answer from its server as a page would, and ends.
 *
 *     SVC_API_KEY=... npx tsx stream-to-browser.ts 3000
 *
 * In a page: `new EventSource('/answer?q=...')`, with listeners for `message`, `done` and `failure` that call `close()` at the end.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { isModelsvcError, newClient, textDeltas, toReadableStream } from 'modelsvc';

const c = newClient({ apiKey: process.env.SVC_API_KEY ?? '', endpoints: process.env.SVC_ENDPOINTS });

async function* events(question: string, signal: AbortSignal): AsyncGenerator<string> {
  const stream = c.chat().stream(signal, { model: 'glm-5.3', messages: [{ role: 'user', content: question }] });
  try {
    for await (const text of textDeltas(stream)) yield `data: ${JSON.stringify(text)}\n\n`;
    yield 'event: done\ndata: {}\n\n';
  } catch (error) {
    // The status line is already sent, so the failure is an event. Its message is for the log of the server, not for the page.
    yield `event: failure\ndata: ${JSON.stringify(isModelsvcError(error) ? error.kind : 'unknown')}\n\n`;
  }
}

const server = createServer(async (request, response) => {
  const left = new AbortController();
  // A closed page ends the call to the service.
  response.on('close', () => left.abort());
  const question = new URL(request.url ?? '/', 'http://localhost').searchParams.get('q') ?? 'Hello';
  // In Hono, Next or a Worker, return `new Response(body, { headers })`.
  const body = toReadableStream(events(question, left.signal)).pipeThrough(new TextEncoderStream());
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  await pipeline(body, response).catch(() => undefined);
});
await new Promise<void>((resolve) => server.listen(Number(process.argv[2] ?? 0), '127.0.0.1', resolve));

const { port } = server.address() as AddressInfo;
if (process.argv[2] !== undefined) console.log(`http://127.0.0.1:${port}/answer?q=Hello`);
else {
  const page = await fetch(`http://127.0.0.1:${port}/answer?q=${encodeURIComponent('Why is the sky blue?')}`);
  process.stdout.write(await page.text());
  server.close();
}
