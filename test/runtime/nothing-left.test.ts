import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeAll, expect, test } from 'vitest';
import { fakeKey } from '../../src/testing/index.ts';
import { childOutcome } from '../support/child.ts';

/** Repetitions of each way. A stream that stays keeps 3 to 14 KB. Memory that the engine itself keeps counts less with more repetitions. */
const rounds = Number(process.env['LEAK_ROUNDS'] ?? 75);
const mostBytes = rounds < 1000 ? 2048 : 1024;

/** Each iterable and reply of a public name: what makes one, for a context `ctx`. `again` is the context of the next items. */
const made: Readonly<Record<string, string>> = {
  'chat().stream': 'client.chat().stream(ctx, chat)',
  'anthropic().stream': 'client.anthropic().stream(ctx, message)',
  'responses().stream': 'client.responses().stream(ctx, response)',
  'agents().stream': "client.agents().stream(ctx, { agent_id: 'a', messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }] })",
  'audio().transcribeStream': "client.audio().transcribeStream(ctx, { model: 'glm-asr', file: new File(['RIFF'], 'a.wav') })",
  'audio().speechStream': "client.audio().speechStream(ctx, { model: 'glm-tts', input: 'hi', voice: 'v' })",
  'chat().streamWithTools': 'client.chat().streamWithTools(ctx, chat, [tool])',
  'anthropic().streamWithTools': 'client.anthropic().streamWithTools(ctx, message, [tool])',
  'responses().streamWithTools': 'client.responses().streamWithTools(ctx, response, [tool])',
  textDeltas: 'textDeltas(client.chat().stream(ctx, chat))',
  opened: 'await opened(client.chat().stream(ctx, chat))',
  collecting: 'collecting(client.chat().stream(ctx, chat))',
  toSSE: 'toSSE(client.chat().stream(ctx, chat))',
  toReadableStream: 'toReadableStream(client.chat().stream(ctx, chat))',
  toResponse: '(await toResponse(client.chat().stream(ctx, chat), { onError: false })).body',
  'files().content': "await client.files().content(ctx, 'f')",
  'files().content, stream()': "(await client.files().content(ctx, 'f')).stream()",
  'audio().speech': "await client.audio().speech(ctx, { model: 'glm-tts', input: 'hi', voice: 'v' })",
  download: "await client.fetchFile(ctx, url + '/bytes')",
  'bindings()': "(await client.bindings('chat').POST('/chat/completions', { body: { ...chat, stream: true }, parseAs: 'stream', signal: ctx })).data",
  serviceFetch: "(await adapted(url + '/chat/completions', { ...post, signal: ctx })).body",
  'files().listAll': "client.files().listAll(ctx, { purpose: 'batch' })",
  mapCalls: 'mapCalls([1, 2], () => client.chat().create(ctx, chat))',
};

const ways = ['ended', 'left', 'aborted', 'failed', 'never read'];

/** A reply of three parts. A cut one breaks after the second. */
function answer({ url = '' }: IncomingMessage, body: string, reply: ServerResponse): void {
  const cut = url.startsWith('/cut');
  const parts = partsOf(url, body);
  reply.writeHead(200, { 'content-type': typeOf(url, body) });
  reply.write(parts.slice(0, -1).join(''));
  // Later, so that a reader has the first part before.
  setTimeout(() => (cut ? reply.socket?.resetAndDestroy() : reply.end(parts.at(-1))), 1);
}

function typeOf(url: string, body: string): string {
  if (isStreamed(url, body)) return 'text/event-stream';
  return /bytes|content|speech/.test(url) ? 'audio/wav' : 'application/json';
}

function isStreamed(url: string, body: string): boolean {
  return /"stream":true|name="stream"/.test(body) || /transcriptions/.test(url);
}

function partsOf(url: string, body: string): readonly string[] {
  const events = (list: readonly object[]): string[] => list.map((one) => `data: ${JSON.stringify(one)}\n\n`);
  const named = (list: readonly { readonly type: string }[]): string[] => list.map((one) => `event: ${one.type}\ndata: ${JSON.stringify(one)}\n\n`);
  if (!isStreamed(url, body)) {
    if (/bytes|content|speech/.test(url)) return ['RIFF', 'abcd', 'efgh'];
    if (/files/.test(url)) return ['{"object":"list","data":[{"id":"f1","object":"file"}]', ',"has_more":false', '}'];
    return ['{"id":"1","model":"m"', ',"choices":[{"index":0,"finish_reason":"stop",', '"message":{"role":"assistant","content":"ab"}}]}'];
  }
  if (url.includes('/messages'))
    return named([
      {
        type: 'message_start',
        message: { id: '1', type: 'message', role: 'assistant', model: 'm', content: [], usage: { input_tokens: 1, output_tokens: 1 } },
      },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'ab' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } },
      { type: 'message_stop' },
    ] as never);
  if (url.includes('/responses')) {
    const output = [
      { type: 'message', id: 'm1', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: 'ab', annotations: [] }] },
    ];
    return named([
      { type: 'response.created', response: { id: '1', status: 'in_progress', output: [] } },
      { type: 'response.output_item.added', output_index: 0, item: { ...output[0], content: [] } },
      { type: 'response.output_text.delta', item_id: 'm1', output_index: 0, content_index: 0, delta: 'ab' },
      { type: 'response.completed', response: { id: '1', object: 'response', model: 'm', status: 'completed', output } },
    ] as never);
  }
  if (url.includes('/transcriptions'))
    return [
      ...events([
        { id: '1', type: 'transcript.text.delta', delta: 'a' },
        { id: '1', type: 'transcript.text.delta', delta: 'b' },
        { id: '1', type: 'transcript.text.done', text: 'ab' },
      ]),
      'data: [DONE]\n\n',
    ];
  const chunk = (content: string, finish: string | null): object => ({
    id: '1',
    model: 'm',
    choices: [
      {
        index: 0,
        delta: { role: 'assistant', content },
        finish_reason: finish,
        messages: [{ role: 'assistant', content: { type: 'text', text: content } }],
      },
    ],
  });
  return [...events([chunk('YQ==', null), chunk('YmI=', null), chunk('', 'stop')]), 'data: [DONE]\n\n'];
}

let url = '';

beforeAll(async () => {
  const server = createServer((request, reply) => {
    let body = '';
    request.setEncoding('latin1').on('data', (text: string) => (body += text));
    request.on('end', () => answer(request, body, reply)).on('error', () => undefined);
    reply.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return () => {
    server.closeAllConnections();
    server.close();
  };
});

test.concurrent.each([
  ['on Node', ''],
  ['by fetch', 'httpClient: fetch,'],
])('no stream and no reply leaks memory, however it ends, %s', async (_name, transport) => {
  const { stdout } = await childOutcome(
    `
    import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
    import { collecting, defineTool, mapCalls, opened, textDeltas, toReadableStream, toResponse, toSSE } from '${new URL('../../src/overlay/index.ts', import.meta.url)}';
    import { serviceFetch } from '${new URL('../../src/fetch/index.ts', import.meta.url)}';
    const url = '${url}';
    const settings = (root) => ({ apiKey: '${fakeKey}', baseURL: root, endpoints: root, timeout: 0, maxRetries: 0, ${transport} });
    const chat = { model: 'm', messages: [{ role: 'user', content: 'hi' }] };
    const message = { ...chat, max_tokens: 9 };
    const response = { model: 'm', input: 'hi' };
    const tool = defineTool({ name: 'rain', description: 'Rain', input: { type: 'object', properties: {} }, run: () => 'yes' });
    const post = { method: 'POST', headers: { authorization: 'Bearer ${fakeKey}', 'content-type': 'application/json' }, body: JSON.stringify({ ...chat, stream: true }) };
    const at = (root) => [newClient(settings(root)), root, serviceFetch({ baseURL: root, timeout: 0, ${transport} })];
    const [whole, cut] = [at(url), at(url + '/cut')];
    const make = { ${Object.entries(made)
      .map(([name, code]) => `${JSON.stringify(name)}: async (ctx, client, url, adapted) => ${code}`)
      .join(', ')} };
    const read = async (items, onFirst) => { for await (const _ of items) if (onFirst?.() === false) break; };
    const ends = {
      ended: async (make) => read(await make(undefined, ...whole)),
      left: async (make) => read(await make(undefined, ...whole), () => false),
      aborted: async (make) => {
        const controller = new AbortController();
        await read(await make(controller.signal, ...whole), () => controller.abort());
      },
      failed: async (make) => read(await make(undefined, ...cut)),
      'never read': async (make) => void (await make(undefined, ...whole)),
    };
    const settled = async () => {
      for (let times = 0; times < 4; times++) {
        await sleep(5);
        for (let turns = 0; turns < 20; turns++) await turn();
        gc();
      }
      return process.memoryUsage().heapUsed;
    };
    const some = async (count, work) => {
      for (let begun = 0; begun < count; begun += 25) await Promise.all(Array.from({ length: 25 }, work));
    };
    const grown = {};
    const failures = {};
    for (const [name, one] of Object.entries(make))
      for (const [way, end] of Object.entries(ends)) {
        const work = () => end(one).catch((error) => (failures[name + ', ' + way] = String(error)));
        await some(25, work);
        // What is loaded, compiled or pooled later than the first calls counts once, so the least of three is the growth of each.
        const each = [];
        for (let times = 0; times < 3 && !(each.at(-1) < ${mostBytes}); times++) {
          const before = await settled();
          await some(${rounds}, work);
          each.push(((await settled()) - before) / ${rounds});
        }
        grown[name + ', ' + way] = Math.round(Math.min(...each));
      }
    console.log(JSON.stringify({ grown, failures }));
    process.exit();
  `,
    ['--expose-gc'],
  );
  const { grown, failures } = JSON.parse(stdout) as { readonly grown: Record<string, number>; readonly failures: Record<string, string> };
  expect(Object.entries(failures).filter(([name]) => !/, (aborted|failed)$/.test(name))).toEqual([]);
  expect(Object.keys(grown)).toHaveLength(Object.keys(made).length * ways.length);
  expect(Object.entries(grown).filter(([, bytes]) => bytes >= mostBytes)).toEqual([]);
});
