import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { childOutcome } from '../support/child.ts';

const chunk = (delta: object, ending?: string): string =>
  `data: ${JSON.stringify({ id: '1', choices: [{ index: 0, delta, finish_reason: ending ?? null }] })}\n\n`;
const reply = { id: '2', choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'hi' } }] };

/** Streams end when a GET asks for it: their reader has stopped by then. */
async function api(): Promise<string> {
  const streams: ServerResponse[] = [];
  const server = createServer(async (incoming, outgoing) => {
    let text = '';
    for await (const block of incoming) text += String(block);
    if (incoming.method === 'GET') {
      for (const stream of streams) stream.end(`${chunk({}, 'stop')}data: [DONE]\n\n`);
      outgoing.end();
    } else if (text.includes('"stream":true')) {
      streams.push(outgoing.setHeader('content-type', 'text/event-stream'));
      outgoing.write(chunk({ content: 'hi' }));
    } else outgoing.setHeader('content-type', 'application/json').end(JSON.stringify(reply));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close().closeAllConnections());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test.each([30_000, 0])('a call that waits for the socket of an unread stream keeps its process alive, with a timeout of %d', async (timeout) => {
  const url = await api();
  const { stdout } = await childOutcome(`
    import { spawn } from 'node:child_process';
    const client = newClient({ apiKey: 'key-of-a-test', baseURL: '${url}/v4', maxSockets: 1, timeout: ${timeout} });
    const request = { model: 'glm-5.2', messages: [{ role: 'user', content: 'hi' }] };
    const stream = client.chat().stream(undefined, request);
    await stream.next();
    const reply = client.chat().create(undefined, request);
    // A process of its own, which does not keep this one alive either, ends the stream.
    spawn(process.execPath, ['-e', 'fetch("${url}")'], { stdio: 'ignore' }).unref();
    console.log((await reply).choices[0].message.content);
    for await (const item of stream) console.log(item.choices[0].finish_reason);
  `);
  expect(stdout).toBe('hi\nstop\n');
});
