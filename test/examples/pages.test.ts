// The programs that stream to a page: each gives a failure before the answer a status, and ends its call when the page leaves.
import { rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, onTestFinished, vi } from 'vitest';
import { type FakeService, type Fault, fakeKey, faults } from '../../src/testing/index.ts';
import { until } from '../support/clock.ts';
import { openFake } from '../support/fake.ts';
import { test as it } from '../support/fixture.ts';
import { edgeModule } from './bundle.ts';
import { bodiesOf, builtExamples, type Running, root } from './example-process.ts';

const start = builtExamples();

/** A page that asks a program, and what the program has printed. */
interface Page {
  ask(question: string, signal?: AbortSignal): Promise<Response>;
  send(body: string): Promise<Response>;
  log(): string;
}

let edge: { fetch(request: Request, env: object): Promise<Response> };
const folder = `${root}node_modules/.cache/examples-edge-${process.pid}`;
beforeAll(async () => {
  edge = (await edgeModule(folder, 'edge-route'))['default'] as typeof edge;
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const programs: Readonly<Record<string, (fake: FakeService) => Promise<Page>>> = {
  'chat-server': async (fake) => {
    const { url, program } = await serve(fake);
    const send = (body: string, signal?: AbortSignal) => fetch(url, { method: 'POST', body, signal: signal ?? null });
    return {
      send,
      ask: (content, signal) => send(JSON.stringify({ messages: [{ role: 'user', content }] }), signal),
      log: () => program.printed.stderr,
    };
  },
  'edge-route': async (fake) => {
    const errors = captured();
    const env = { SVC_API_KEY: fakeKey, SVC_ENDPOINTS: fake.url };
    const send = (body: string, signal?: AbortSignal) =>
      edge.fetch(new Request('http://page.example/', { method: 'POST', body, signal: signal ?? null }), env);
    return { send, ask: (prompt, signal) => send(JSON.stringify({ prompt }), signal), log: errors };
  },
};

/** The chat server on a free port. */
async function serve(fake: FakeService): Promise<{ readonly url: string; readonly program: Running }> {
  const program = start('chat-server', fake, { args: ['0'] });
  await program.shows('port: ');
  return { url: `http://127.0.0.1:${/port: (\d+)/.exec(program.printed.stdout)?.[1]}/`, program };
}

/** The log of the edge's route, which is in this process. */
function captured(): () => string {
  const lines: string[] = [];
  vi.spyOn(console, 'error').mockImplementation((line) => void lines.push(`${line}\n`));
  return () => lines.join('');
}

/** Causes as the guide names them, with an answer of the service for each, and the status that the page gets. */
const causes: readonly (readonly [cause: string, fault: () => Fault, status: number])[] = [
  ['rate limit', () => faults.rateLimit({ seconds: 70 }), 429],
  ['used-up quota', () => faults.error(429, '1308', 'secret words'), 429],
  ['content check', () => faults.error(400, '1301', 'secret words'), 422],
  ['overload', () => faults.error(429, '1305', 'secret words'), 503],
  ['connection', () => faults.resetBeforeHeaders(), 502],
  ['failure of the service', () => faults.error(500, '1234', 'secret words'), 502],
  ['broken stream', () => faults.emptyStream(), 502],
  ['your server', () => faults.error(401, '1000', 'secret words'), 500],
];

describe.each(Object.entries(programs))('%s', (_name, open) => {
  it('streams an answer', async ({ fake }) => {
    const page = await open(fake);
    fake.chat.stream(['Blue', ' light\nscatters.']);
    const response = await page.ask('Why blue?');
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
    expect(await response.text()).toBe('data: "Blue"\n\ndata: " light\\nscatters."\n\ndata: [DONE]\n\n');
    expect([bodiesOf(fake), page.log()]).toMatchObject([[{ messages: [{ role: 'user', content: 'Why blue?' }] }], '']);
  });

  it('gives each cause of a failure its status, never the text of the service, and logs it', async ({ fake }) => {
    const page = await open(fake);
    fake.fallback('chat.create', ({ body }) => causes.find(([cause]) => JSON.stringify(body).includes(cause))?.[1]() ?? { turn: { text: 'fine' } });
    const outcomeOf = async ([cause]: (typeof causes)[number]): Promise<unknown[]> => {
      const response = await page.ask(cause);
      const text = await response.text();
      expect(text).toMatch(/^\{"error":\{"type":"\w+","message":"No answer came\."\}\}$/);
      return [cause, response.status, response.headers.get('retry-after')];
    };
    // The rate limit comes last: calls at the same time would wait in the queue that it begins.
    const [limit, ...others] = causes;
    const statuses = await Promise.all(others.map(outcomeOf));
    statuses.unshift(await outcomeOf(limit as (typeof causes)[number]));
    expect(statuses).toEqual(causes.map(([cause, , status]) => [cause, status, cause === 'rate limit' ? '70' : null]));
    expect(page.log().match(/^\w+Error: /gm)).toHaveLength(causes.length);
    expect(await (await page.ask('afterwards')).text()).toContain('fine');
  });

  it('ends an answer that breaks off with an event', async ({ fake }) => {
    const page = await open(fake);
    fake.answer('chat.create', { ...faults.inBandError('1305', 'secret words', 1), reply: { turn: { text: ['Blue', ' light'] } } });
    const failed = 'event: error\ndata: {"error":{"type":"api","message":"The answer ended early."}}\n\n';
    expect(await (await page.ask('Why blue?')).text()).toBe(`data: "Blue"\n\n${failed}`);
    expect(page.log()).toContain('ApiError: chat.stream: secret words');
  });

  it('ends its call when the page leaves, before the answer and within it, without a line in the log', async ({ fake }) => {
    const page = await open(fake);
    fake.answer('chat.create', faults.silentBeforeHeaders(), { ...faults.silentAfterHeaders(1), reply: { turn: { text: ['Blue', ' light'] } } });
    const leaving = new AbortController();
    const asked = page.ask('Why blue?', leaving.signal).catch(() => undefined);
    await until(() => fake.requests.length === 1);
    leaving.abort();
    await asked;
    await fake.idle();
    const reader = (await page.ask('Why blue?')).body?.getReader();
    expect(new TextDecoder().decode((await reader?.read())?.value)).toBe('data: "Blue"\n\n');
    await reader?.cancel();
    await fake.idle();
    expect([fake.requests.map(({ outcome }) => outcome), page.log()]).toEqual([['left', 'left'], '']);
  });

  it.each(['', 'no JSON', 'null', '{}', '{"messages":[],"prompt":""}', '{"messages":[{"role":"system","content":"x"}],"prompt":5}'])(
    'refuses the body %j, and goes on',
    async (body) => {
      const { fake } = await openFake();
      const page = await open(fake);
      expect((await page.send(body)).status).toBe(400);
      fake.chat.reply('fine');
      expect(await (await page.ask('Hi')).text()).toContain('fine');
      expect(fake.requests).toHaveLength(1);
    },
  );
});

it('chat-server refuses a body of more than 1 MB with 413, before it has it all', async ({ fake }) => {
  const { url } = await serve(fake);
  const socket = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => undefined);
  onTestFinished(() => void socket.destroy());
  const answer = new Promise<string>((resolve) => socket.setEncoding('utf8').once('data', resolve));
  socket.write(`POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 200000000\r\n\r\n${'x'.repeat(1_000_001)}`);
  expect(await answer).toMatch(/^HTTP\/1\.1 413 /);
  expect(fake.requests).toHaveLength(0);
});

it('chat-server goes on after a page was closed within its request', async ({ fake }) => {
  const { url, program } = await serve(fake);
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  await new Promise<void>((resolve) => socket.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{', () => resolve()));
  socket.destroy();
  fake.chat.reply('fine');
  const body = JSON.stringify({ messages: [{ role: 'user', content: 'Hi' }] });
  expect(await (await fetch(url, { method: 'POST', body })).text()).toContain('fine');
  expect(program.printed.stderr).toBe('');
});
