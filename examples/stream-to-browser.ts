/**
 * Stream an answer to a browser as Server-Sent Events. Without a port, the program reads one answer from its server as a page would, and ends.
 *
 *     SVC_API_KEY=... npx tsx stream-to-browser.ts 3000
 *
 * In a page: `new EventSource('/answer?q=...')`. Listen to `message`, whose data is a text as JSON or `[DONE]`, and to `error`. Call `close()` in both
 * cases at the end.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { newClient, textDeltas, toSSE } from 'modelsvc';

const c = newClient({ apiKey: process.env.SVC_API_KEY ?? '', endpoints: process.env.SVC_ENDPOINTS });

const server = createServer(async (request, response) => {
  const left = new AbortController();
  // A closed page ends the call to the service.
  response.on('close', () => left.abort());
  const question = new URL(request.url ?? '/', 'http://localhost').searchParams.get('q') ?? 'Hello';
  const stream = c.chat().stream(left.signal, { model: 'glm-5.3', messages: [{ role: 'user', content: question }] });
  // The status line is already sent, so a failure is an event. Its text is for the log of the server, not for the page.
  const body = toSSE(textDeltas(stream), { onError: (error) => console.error(String(error)) });
  // In Hono, Next or a Worker, return `new Response(body, { headers })`.
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
