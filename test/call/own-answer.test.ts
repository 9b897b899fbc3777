import { Agent } from 'node:http';
import type { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { newClient } from '../../src/overlay/index.ts';
import { configFor } from '../../src/testing/index.ts';
import { surfaces, taken, textIn, transports } from '../support/both-ways.ts';
import { type Child, startChild } from '../support/child.ts';
import { until } from '../support/clock.ts';
import { bodyOf, type Framing, type KeptRequest, type KeptServer, responseOf, startKeptServer } from '../support/kept-server.ts';
import { ca, serverTls } from '../support/tls.ts';

/** Bytes that a gateway sends after a complete answer. */
const extras: Readonly<Record<string, (answer: string) => string>> = {
  'stray bytes': () => 'stray bytes\r\n\r\n',
  'half a header': () => 'HTTP/1.1 200 X\r\ncontent-',
  'the same answer again': (answer) => answer,
};

describe.each(transports)('$transport', ({ overrides }) => {
  describe.each(surfaces)('$surface', ({ surface, create, stream }) => {
    describe.each(['content-length', 'chunked'] satisfies Framing[])('%s', (framing) => {
      test.each(Object.entries(extras))(
        '%s after an answer, in one write: each call has its own answer, on new and used sockets',
        async (_name, extra) => {
          const plain = new Set([1, 4]);
          const streams = new Set([2, 6]);
          const server = await startKeptServer(({ socket, index }) => {
            const answer = responseOf(bodyOf(surface, streams.has(index), `answer ${index}`), framing);
            socket.write(plain.has(index) ? answer : answer + extra(answer));
          });
          const client = newClient(configFor(server.url, { ...overrides, maxRetries: 0 }));
          for (let index = 1; index <= 6; index++) {
            if (!streams.has(index)) expect(JSON.stringify(await create(client))).toContain(`answer ${index}`);
            else {
              const { items, error } = await taken(stream(client));
              expect(error).toBeUndefined();
              expect(textIn(items)).toBe(`answer ${index}`);
            }
          }
          expect(server.requests).toHaveLength(6);
        },
      );
    });
  });
});

/** Does something with the connection of the last request, and resolves when it is done. */
type Afterward = (socket: Socket) => Promise<unknown>;

const afterwards: Readonly<Record<string, Afterward>> = {
  'answers again': (socket) => written(socket, responseOf(bodyOf('chat', false, 'once more'))),
  'sends half a header': (socket) => written(socket, 'HTTP/1.1 200 X\r\nconte'),
  'ends the connection': (socket) => new Promise<void>((resolve) => socket.end(resolve)),
  'closes the connection': (socket) => new Promise((resolve) => socket.destroy().once('close', resolve)),
};

function written(socket: Socket, bytes: string): Promise<void> {
  return new Promise((resolve) => socket.write(bytes, () => resolve()));
}

const request = { model: 'glm-5.2', messages: [{ role: 'user' as const, content: 'hi' }] };
const agents = { 'the Agent of the package': () => ({}), 'an Agent of the user': () => ({ agent: new Agent({ keepAlive: true }) }) };

describe.each(Object.entries(agents))('%s', (_name, agent) => {
  test.each(Object.entries(afterwards))('an idle socket whose server %s is closed at once', async (_what, afterward) => {
    const server = await startKeptServer(({ socket, index }) => socket.write(responseOf(bodyOf('chat', false, `answer ${index}`))));
    const client = newClient(configFor(server.url, { ...agent(), maxRetries: 0 }));
    await client.chat().create(undefined, request);
    expect(server.sockets).toBe(1);
    await afterward((server.requests.at(-1) as KeptRequest).socket);
    // No call follows that would notice it.
    await until(() => server.sockets === 0);
  });
});

/**
 * A client in a process of its own. Its event loop is blocked in `pause` until the server has done something, which thus comes before the next
 * request of the client.
 */
function clientProcess(server: KeptServer, options: string, body: string): Child {
  return startChild(`
    import { Agent } from 'node:http';
    import { readSync } from 'node:fs';
    const pause = (text) => { console.log(text); readSync(0, new Uint8Array(1)); };
    const turns = async () => { for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve)); };
    const config = { ...${JSON.stringify(configFor(server.url, { maxRetries: 0 }))}, ...${options} };
    const creating = (client) => async () => {
      try { return (await client.chat().create(undefined, ${JSON.stringify(request)})).choices[0].message.content; } catch (error) { return error.message; }
    };
    const create = creating(newClient(config));
    ${body}
  `);
}

/** Two calls, and a pause between the answer to the first and the request of the second. */
const pairs = {
  'right after each other': 'pause(await create()); console.log(await create());',
  'on a socket that is idle': 'const text = await create(); await turns(); pause(text); console.log(await create());',
};
const waitingPair =
  'const alone = creating(newClient({ ...config, maxSockets: 1 })); const first = alone().then(pause); console.log(await alone()); await first;';

test.each([
  ['the Agent of the package', '{}', undefined],
  ['the Agent of the package, TLS', JSON.stringify({ ca }), serverTls],
  ['an Agent of the user', '{ agent: new Agent({ keepAlive: true }) }', undefined],
] as const)('%s: a call has its own answer, whatever the server did with a socket that was used before', async (name, options, tls) => {
  const server = await startKeptServer(({ socket, index }) => socket.write(responseOf(bodyOf('chat', false, `answer ${index}`))), tls);
  // An Agent of the user has a queue of its own, and hands sockets on in it.
  const bodies = name.endsWith('user') ? Object.values(pairs) : [...Object.values(pairs), waitingPair];
  const count = Object.keys(afterwards).length;
  const body = bodies.map((pair) => `for (let pair = 0; pair < ${count}; pair++) { ${pair} }`).join('\n');
  const child = clientProcess(server, options, body);
  let index = 0;
  for (const _body of bodies) {
    for (const afterward of Object.values(afterwards)) {
      expect(await child.line()).toBe(`answer ${++index}`);
      const { socket, connection } = server.requests.at(-1) as KeptRequest;
      await afterward(socket);
      child.write('\n');
      expect(await child.line()).toBe(`answer ${++index}`);
      expect(server.requests.at(-1)?.connection).not.toBe(connection);
    }
  }
});

test('a server that closes the connection of an answer as late as at the next request costs no call', async () => {
  const server = await startKeptServer(({ socket, index }) => {
    server.requests.at(-2)?.socket.destroy();
    socket.write(responseOf(bodyOf('chat', false, `answer ${index}`)));
  });
  const client = newClient(configFor(server.url, { maxRetries: 0 }));
  for (let index = 1; index <= 10; index++) expect(JSON.stringify(await client.chat().create(undefined, request))).toContain(`answer ${index}`);
});

test('a socket that was in use while a call looked at the idle ones is not taken by that call', async () => {
  const server = await startKeptServer(({ socket, index }) => {
    // The third is answered later.
    if (index !== 3) socket.write(responseOf(bodyOf('chat', false, `answer ${index}`)));
  });
  const child = clientProcess(
    server,
    '{}',
    `await Promise.all([create(), create()]);
    await turns();
    const third = create();
    await turns();
    pause('sent');
    setImmediate(() => pause('looking'));
    console.log(await create(), await third);`,
  );
  expect(await child.line()).toBe('sent');
  await until(() => server.requests.length === 3);
  child.write('\n');
  expect(await child.line()).toBe('looking');
  await written((server.requests.at(-1) as KeptRequest).socket, responseOf(bodyOf('chat', false, 'answer 3')));
  child.write('\n');
  expect(await child.line()).toBe('answer 4 answer 3');
  const [, , third, fourth] = server.requests.map(({ connection }) => connection);
  expect(fourth).toBe(1 - (third ?? 0));
});
