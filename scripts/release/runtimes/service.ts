/** The servers of the checks: the fake service, and a control server for its script, which is also the other origin of redirects. */
import { type ClientRequest, createServer, type IncomingMessage, request as requestTo, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type FakeService, type Fault, faults, refusedUrl, type ScriptedOperation, startFakeService } from '../../../src/testing/index.ts';
import type { Reply } from '../../../src/testing/replies/reply.ts';
import { readBytes } from '../../../src/testing/requests/request.ts';
import { type AskedFault, made } from '../../../test/runtime/checks/faults.ts';
import type { Places } from '../../../test/runtime/checks/index.ts';
import type { Seen } from '../../../test/runtime/checks/world.ts';

/** Answers of operations as a check sends them. */
type AskedAnswers = Readonly<Record<string, readonly (Reply | AskedFault)[]>>;

export interface Service {
  readonly places: Places;
  readonly fake: FakeService;
  close(): Promise<void>;
}

export async function startService(): Promise<Service> {
  const fake = await startFakeService();
  let elsewhere: Seen[] = [];
  const routes: Record<string, (request: IncomingMessage) => Promise<unknown>> = {
    '/script': async (request) => {
      await fake.idle();
      fake.reset();
      elsewhere = [];
      const script = JSON.parse(Buffer.from(await readBytes(request)).toString()) as AskedAnswers;
      for (const [operation, answers] of Object.entries(script))
        fake.answer(
          operation as ScriptedOperation,
          ...answers.flatMap((one): readonly (Reply | Fault)[] => ('args' in one ? made(one, faults) : [one])),
        );
      return {};
    },
    '/seen': async () => {
      await fake.idle();
      return fake.requests.map(({ operation, headers, bytes, outcome }) => ({ operation, headers, size: bytes.length, outcome }));
    },
    '/elsewhere-seen': async () => elsewhere,
    '/elsewhere': async (request) => {
      elsewhere.push({ headers: request.headers as Seen['headers'], size: (await readBytes(request)).length, outcome: '' });
      return { object: 'list', data: [], has_more: false };
    },
  };
  const control = createServer((request, response) => {
    const route = routes[new URL(request.url ?? '', 'http://control').pathname];
    void answer(response, route?.(request));
  });
  await listen(control);
  const { port } = control.address() as AddressInfo;
  return {
    fake,
    places: { url: fake.url, control: `http://127.0.0.1:${port}`, refused: await refusedUrl() },
    async close() {
      control.closeAllConnections();
      control.close();
      await fake.close();
    },
  };
}

export function listen(server: Server): Promise<void> {
  return new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
}

/** The same request to another origin, without its body, and its reply to whoever asked. */
export function passOn(origin: string, { method, url, headers }: IncomingMessage, outgoing: ServerResponse): ClientRequest {
  const onward = requestTo(origin + url, { method, headers, agent: false }, (reply) => {
    outgoing.writeHead(reply.statusCode ?? 502, reply.headers);
    reply.pipe(outgoing);
    reply.on('error', () => outgoing.destroy());
  });
  onward.on('error', () => outgoing.destroy());
  outgoing.on('close', () => onward.destroy());
  return onward;
}

/** Pages of other origins may read the control server. */
async function answer(response: ServerResponse, body: Promise<unknown> | undefined): Promise<void> {
  response.setHeader('access-control-allow-origin', '*');
  try {
    response.end(JSON.stringify(await (body ?? Promise.reject(new Error('no such path')))));
  } catch (error) {
    response.writeHead(500).end(String(error));
  }
}
