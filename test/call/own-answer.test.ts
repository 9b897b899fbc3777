import { Agent } from 'node:http';
import type { Socket } from 'node:net';
import type { TlsOptions } from 'node:tls';
import { describe, expect, test } from 'vitest';
import { newClient } from '../../src/overlay/index.ts';
import { configFor } from '../../src/testing/index.ts';
import { surfaces, taken, textIn, transports } from '../support/both-ways.ts';
import { type Child, startChild } from '../support/child.ts';
import { until } from '../support/clock.ts';
import { bodyOf, type Framing, type KeptRequest, type KeptServer, responseOf, startKeptServer } from '../support/kept-server.ts';
import { ca, serverTls } from '../support/tls.ts';

/** Bytes that a gateway sends behind a complete answer. */
const extras: Readonly<Record<string, (answer: string) => string>> = {
  'stray bytes': () => 'stray bytes\r\n\r\n',
  'half a header': () => 'HTTP/1.1 200 X\r\ncontent-',
  'the same answer again': (answer) => answer,
};

describe.each(transports)('$transport', ({ overrides }) => {
  describe.each(surfaces)('$surface', ({ surface, create, stream }) => {
    describe.each(['content-length', 'chunked'] satisfies Framing[])('%s', (framing) => {
      test.each(Object.entries(extras))(
        '%s behind an answer, in one write: each call has its own answer, on new and used sockets',
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

function lastSocket({ requests }: KeptServer): Socket {
  return (requests.at(-1) as KeptRequest).socket;
}

const request = { model: 'glm-5.2', messages: [{ role: 'user' as const, content: 'hi' }] };
const agents = { 'the Agent of the package': () => ({}), 'an Agent of the user': () => ({ agent: new Agent({ keepAlive: true }) }) };

describe.each(Object.entries(agents))('%s', (_name, agent) => {
  test.each(Object.entries(afterwards))('an idle socket whose server %s is closed at once', async (_what, afterward) => {
    const server = await startKeptServer(({ socket, index }) => socket.write(responseOf(bodyOf('chat', false, `answer ${index}`))));
    const client = newClient(configFor(server.url, { ...agent(), maxRetries: 0 }));
    await client.chat().create(undefined, request);
    expect(server.sockets).toBe(1);
    await afterward(lastSocket(server));
    // No call follows that would notice it.
    await until(() => server.sockets === 0);
  });
});

/**
 * A client in a process of its own, whose event loop stands still in `pause()` until the server has done something: what the server does
 * in that time is there before the client's next request is.
 */
function clientProcess(server: KeptServer, options: string, body: string): Child {
  return startChild(`
    import { Agent } from 'node:http';
    import { readSync } from 'node:fs';
    const pause = (text) => { console.log(text); readSync(0, new Uint8Array(1)); };
    const client = newClient({ ...${JSON.stringify(configFor(server.url, { maxRetries: 0 }))}, ...${options} });
    const create = async () => {
      try { return (await client.chat().create(undefined, ${JSON.stringify(request)})).choices[0].message.content; } catch (error) { return error.message; }
    };
    ${body}
  `);
}

/** Calls in pairs; after the first of a pair, the server does one of `afterwards` with its socket. */
async function ownAnswers(options: string, pair: string, tls?: TlsOptions): Promise<void> {
  const server = await startKeptServer(({ socket, index }) => socket.write(responseOf(bodyOf('chat', false, `answer ${index}`))), tls);
  const child = clientProcess(server, options, `for (let pair = 0; pair < ${Object.keys(afterwards).length}; pair++) { ${pair} }`);
  let index = 0;
  for (const afterward of Object.values(afterwards)) {
    expect(await child.line()).toBe(`answer ${++index}`);
    await afterward(lastSocket(server));
    child.write('\n');
    expect(await child.line()).toBe(`answer ${++index}`);
  }
  // The second of a pair has a new connection, and the first of the next pair uses it again.
  expect(server.requests.map(({ connection }) => connection)).toEqual([0, 1, 1, 2, 2, 3, 3, 4]);
}

const own = ['the Agent of the package', '{}', undefined] as const;
const ownTls = ['the Agent of the package, TLS', JSON.stringify({ ca }), serverTls] as const;
const given = ['an Agent of the user', '{ agent: new Agent({ keepAlive: true }) }', undefined] as const;

test.each([own, ownTls, given])(
  '%s: a call right after another has its own answer, whatever the server did with the socket',
  async (_name, options, tls) => {
    await ownAnswers(options, 'pause(await create()); console.log(await create());', tls);
  },
);

// An Agent of the user hands a socket on in a queue of its own.
test.each([own, ownTls])('%s: a call that waits for the socket of another has its own answer too', async (_name, options, tls) => {
  await ownAnswers(`{ ...${options}, maxSockets: 1 }`, 'const first = create().then(pause); console.log(await create()); await first;', tls);
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
    const third = create();
    // The request is on its way.
    await new Promise((resolve) => setTimeout(resolve, 50));
    setImmediate(() => pause('paused'));
    console.log(await create(), await third);`,
  );
  expect(await child.line()).toBe('paused');
  await until(() => server.requests.length === 3);
  await written(lastSocket(server), responseOf(bodyOf('chat', false, 'answer 3')));
  child.write('\n');
  expect(await child.line()).toBe('answer 4 answer 3');
  const [, , third, fourth] = server.requests.map(({ connection }) => connection);
  expect(fourth).toBe(1 - (third ?? 0));
});
