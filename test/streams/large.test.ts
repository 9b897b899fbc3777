import { describe, expect, test } from 'vitest';
import { type ChatChunk, newClient } from '../../src/overlay/index.ts';
import { SseReader } from '../../src/overlay/streams/sse.ts';
import { expectLinear, sizesUpTo } from '../property/linear-time/growth.ts';
import { transports } from '../support/both-ways.ts';
import { settled, stoppedClock, turns } from '../support/clock.ts';
import { sharedFake } from '../support/fake.ts';

const fake = await sharedFake();
const headers = { 'content-type': 'text/event-stream' };

const request = { model: 'glm-5.2', messages: [{ role: 'user', content: 'hi' }] };
const encoder = new TextEncoder();
const megabyte = 1024 * 1024;

function frame(content: string): string {
  return `data: ${JSON.stringify({ id: '1', choices: [{ index: 0, delta: { content } }] })}\n\n`;
}

function contentOf(chunk: ChatChunk | undefined): unknown {
  return chunk?.choices?.[0]?.delta?.content;
}

describe.each(transports)('$transport', ({ overrides }) => {
  const client = newClient(fake.configFor(overrides));

  test('a frame of 5 MB in pieces of 1 KB arrives whole', async () => {
    const content = 'äß你🌧'.repeat((5 * megabyte) / 12);
    const bytes = encoder.encode(`${frame(content)}data: [DONE]\n\n`);
    async function* pieces(): AsyncGenerator<Uint8Array> {
      for (let at = 0; at < bytes.length; at += 1024) yield bytes.subarray(at, at + 1024);
    }
    fake.answer('chat.create', { body: pieces(), headers });
    const chunks: ChatChunk[] = [];
    for await (const chunk of client.chat().stream(undefined, request)) chunks.push(chunk);
    expect(chunks).toHaveLength(1);
    expect(contentOf(chunks[0]) === content).toBe(true);
  });

  test('a complete reply of 20 MB is read', async () => {
    const content = 'x'.repeat(20 * megabyte);
    fake.answer('chat.create', { body: { id: '1', choices: [{ index: 0, message: { role: 'assistant', content } }] } });
    const reply = await client.chat().create(undefined, request);
    expect(String(reply.choices[0]?.message.content)).toHaveLength(20 * megabyte);
  });

  test('a consumer that stops reading stops the service, and gets everything when it goes on', async () => {
    const total = 40_000;
    const one = encoder.encode(frame('x'.repeat(950)));
    let written = 0;
    async function* frames(): AsyncGenerator<Uint8Array | string> {
      for (; written < total; written++) yield one;
      yield 'data: [DONE]\n\n';
    }
    fake.answer('chat.create', { body: frames(), headers });
    const clock = stoppedClock();
    const stream = newClient(fake.configFor({ streamIdleTimeout: 500, ...overrides }))
      .chat()
      .stream(undefined, request);
    await stream.next();
    const stopped = await settled(() => written);
    // While the caller is slow, the silence is not the service's.
    clock.pass(60_000);
    await turns();
    expect(written).toBe(stopped);
    // Little more than the kernel's buffers of a loopback connection, of 40 MB.
    expect(stopped * one.length).toBeLessThan(24 * megabyte);
    let count = 1;
    for await (const chunk of stream) if (String(contentOf(chunk)).length === 950) count++;
    expect(count).toBe(total);
  });
});

describe('the cost of a frame is linear in its length', () => {
  /** Reads a body in pieces; gives the events it has. */
  function read(body: string, piece: number): () => string[] {
    const bytes = encoder.encode(body);
    return () => {
      const events: string[] = [];
      const reader = new SseReader((_name, data) => events.push(data));
      for (let at = 0; at < bytes.length; at += piece) reader.feed(bytes.subarray(at, at + piece));
      reader.end();
      return events;
    };
  }

  test.each([
    ['LF', '\n'],
    ['CRLF', '\r\n'],
    ['CR', '\r'],
  ])('byte by byte, with %s', async (_name, ends) => {
    const ofSize = (size: number): (() => string[]) => read(`data: ${'x'.repeat(size)}${ends}${ends}data: next${ends}${ends}`, 1);
    expect(ofSize(10_000)().map((data) => data.length)).toEqual([10_000, 4]);
    await expectLinear(ofSize, sizesUpTo(400_000));
  });

  test('in pieces of 1 KB', async () => {
    await expectLinear((size) => read(`data: ${'x'.repeat(size)}\n\n`, 1024), sizesUpTo(5_120_000));
  });

  test('thousands of data lines in one frame', async () => {
    const ofSize = (lines: number): (() => string[]) => read(`${'data: a line\r'.repeat(lines)}\r`, 100);
    expect(ofSize(1000)()[0]?.split('\n')).toHaveLength(1000);
    await expectLinear(ofSize, sizesUpTo(80_000));
  });
});

test('what was delivered is not overwritten by what comes later', () => {
  const seen: string[] = [];
  const reader = new SseReader((_name, data) => seen.push(data));
  const block = new Uint8Array(64);
  for (let index = 0; index < 50; index++) {
    const bytes = encoder.encode(`data: ${String(index).repeat(3)}\n\n`);
    // The transport may fill the same block again.
    block.set(bytes);
    reader.feed(block.subarray(0, bytes.length));
    block.fill(0);
  }
  expect(seen).toEqual(Array.from({ length: 50 }, (_, index) => String(index).repeat(3)));
});
