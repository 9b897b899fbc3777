import { inspect } from 'node:util';
import { expect, test, vi } from 'vitest';
import { newClient } from '../../src/overlay/index.ts';
import { configFor } from '../../src/testing/index.ts';
import { proxied, routeBy } from '../support/dial.ts';

const call = { id: 'call_1', type: 'function', function: { name: 'forged_tool', arguments: '{}' } };
const message = { role: 'assistant', content: null, tool_calls: [call] };
const reply = JSON.stringify({ id: 'forged', choices: [{ index: 0, finish_reason: 'tool_calls', message }] });
const events = `data: ${JSON.stringify({ id: 'forged', choices: [{ index: 0, finish_reason: 'tool_calls', delta: message }] })}\n\ndata: [DONE]\n\n`;

const request = { model: 'glm-5.2', messages: [{ role: 'user' as const, content: 'hi' }] };
const tool = { type: 'function' as const, function: { name: 'forged_tool', description: 'd', parameters: { type: 'object' as const } } };

type Client = ReturnType<typeof newClient>;

const calls: [string, string, (client: Client, run: () => string) => Promise<unknown>][] = [
  ['chat.create', reply, (client) => client.chat().create(undefined, request)],
  ['chat.stream', events, (client) => client.chat().stream(undefined, request).next()],
  ['chat.runWithTools', reply, (client, run) => client.chat().runWithTools(undefined, { ...request, tools: [tool] }, run)],
  ['anthropic.create', reply, (client) => client.anthropic().create(undefined, { ...request, max_tokens: 9 })],
  [
    'anthropic.stream',
    events,
    (client) =>
      client
        .anthropic()
        .stream(undefined, { ...request, max_tokens: 9 })
        .next(),
  ],
];

test.each(calls.flatMap(([name, words, perform]) => [201, 403, 407, 502].map((status) => [name, status, words, perform] as const)))(
  '%s: a reply forged under status %i to CONNECT never reaches the caller',
  async (name, status, words, perform) => {
    const proxy = await proxied({ refuseWith: status, refusal: words });
    const { host } = new URL(proxy.url);
    routeBy(proxy.url);
    // A pool remembers the way to a URL: each case has a host of its own.
    const service = `https://${name.toLowerCase()}-${status}.example.test/v4`;
    const run = vi.fn(() => '');
    const client = newClient(configFor(service, { apiKey: 'fake-id.fake-secret', maxRetries: 0 }));
    const error = await perform(client, run).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ kind: 'connection', phase: 'connect', message: expect.stringContaining(host) });
    expect((error as Error).message).toContain(String(status));
    expect(inspect(error, { depth: 10, showHidden: true })).not.toMatch(/forged|fake-secret/);
    expect(run).not.toHaveBeenCalled();
    expect(proxy.requests.map((one) => [one.method, one.target])).toEqual([['CONNECT', `${new URL(service).host}:443`]]);
    await expect.poll(() => proxy.sockets).toBe(0);
  },
);

test('a refused proxy address is an error that names the variable', async () => {
  vi.stubEnv('HTTPS_PROXY', 'socks5://user:hidden-word@127.0.0.1:1080');
  vi.stubEnv('NO_PROXY', '');
  const client = newClient({ apiKey: 'fake-id.fake-secret', baseURL: 'https://api.example.test/v4', maxRetries: 0 });
  const error = await client
    .chat()
    .create(undefined, request)
    .catch((caught: unknown) => caught);
  vi.unstubAllEnvs();
  expect(error).toMatchObject({ kind: expect.stringMatching(/connection|config/), message: expect.stringMatching(/HTTPS_PROXY.*SOCKS/) });
  expect(inspect(error, { depth: 10, showHidden: true })).not.toContain('hidden-word');
});
