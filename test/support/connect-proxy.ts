import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** A tunnel or a request that the proxy received. */
export interface ProxiedRequest {
  /** `CONNECT` for a tunnel, else the method of a forwarded request. */
  readonly method: string;
  /** `host:port` of a tunnel, absolute URL of a forwarded request. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

export interface ConnectProxyOptions {
  /** `user:password` that it asks for with 407. Default: none. */
  readonly credentials?: string;
  /** Send every connection here, whatever host it names, so that a test can name a host that does not exist. Default: the named host. */
  readonly upstream?: { readonly host: string; readonly port: number };
  /** Never answer a CONNECT. Default: false. */
  readonly silent?: boolean;
  /** Status that every CONNECT and request is refused with. Default: none. */
  readonly refuseWith?: number;
  /** Body of those refusals: words that must not reach a caller. Default: empty. */
  readonly refusal?: string;
  /** Certificate and key for TLS to the proxy itself. Default: plain TCP. */
  readonly tls?: { readonly cert: string; readonly key: string };
  /** The loopback address to listen on. Default: `127.0.0.1`. */
  readonly host?: '127.0.0.1' | '::1';
}

/** A real proxy on loopback: tunnels by CONNECT, and forwards plain HTTP. */
export interface ConnectProxy {
  readonly url: string;
  /** Received tunnels and requests, including refused ones, oldest first. */
  readonly requests: readonly ProxiedRequest[];
  /** Connections open now, on the client's side. */
  readonly sockets: number;
  close(): Promise<void>;
}

export async function startConnectProxy(options: ConnectProxyOptions = {}): Promise<ConnectProxy> {
  const requests: ProxiedRequest[] = [];
  const clients = new Set<Duplex>();
  const upstreams = new Set<Socket>();
  const expected = options.credentials === undefined ? undefined : `Basic ${Buffer.from(options.credentials).toString('base64')}`;

  const note = (incoming: IncomingMessage): number | undefined => {
    requests.push({ method: incoming.method ?? '', target: incoming.url ?? '', headers: incoming.headers });
    if (expected !== undefined && incoming.headers['proxy-authorization'] !== expected) return 407;
    return options.refuseWith;
  };

  const onRequest = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    const refusal = note(incoming);
    const target = URL.canParse(incoming.url ?? '') ? new URL(incoming.url ?? '') : undefined;
    if (refusal !== undefined || !target) return void outgoing.writeHead(refusal ?? 400).end();
    const { 'proxy-authorization': _, 'proxy-connection': __, ...headers } = incoming.headers;
    const { host, port } = options.upstream ?? { host: hostOf(target.hostname), port: Number(target.port || 80) };
    const onward = request({ host, port, path: target.pathname + target.search, method: incoming.method, headers, agent: false }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
      answer.on('error', () => outgoing.destroy());
    });
    onward.on('socket', (socket) => track(upstreams, socket));
    onward.on('error', () => (outgoing.headersSent ? outgoing.destroy() : outgoing.writeHead(502).end()));
    outgoing.on('close', () => onward.destroy());
    incoming.pipe(onward);
  };

  const server = options.tls ? createSecureServer(options.tls, onRequest) : createServer(onRequest);
  const { host: address = '127.0.0.1', refusal: words = '' } = options;
  server.on('connect', (incoming: IncomingMessage, client: Duplex, head: Buffer) => {
    client.on('error', () => client.destroy());
    const refusal = note(incoming);
    if (options.silent) return;
    if (refusal !== undefined)
      return void client.end(
        `HTTP/1.1 ${refusal} Refused\r\nProxy-Authenticate: Basic\r\nContent-Type: application/json\r\nContent-Length: ${words.length}\r\n\r\n${words}`,
      );
    const target = new URL(`http://${incoming.url}`);
    const { host, port } = options.upstream ?? { host: hostOf(target.hostname), port: Number(target.port || 80) };
    const upstream = connect(port, host, () => {
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      upstream.write(head);
      upstream.pipe(client);
      client.pipe(upstream);
    });
    track(upstreams, upstream);
    upstream.on('error', () => client.destroy());
    // Closing one end closes the other.
    upstream.on('close', () => client.destroy());
    client.on('close', () => upstream.destroy());
  });
  server.on('connection', (socket: Socket) => track(clients, socket));

  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  return {
    url: `${options.tls ? 'https' : 'http'}://${address === '::1' ? '[::1]' : address}:${(server.address() as AddressInfo).port}`,
    requests,
    get sockets() {
      return clients.size;
    },
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      const gone = [...clients, ...upstreams].map((socket) => new Promise((resolve) => socket.destroy().once('close', resolve)));
      await Promise.all([closed, ...gone]);
    },
  };
}

function track<S extends Duplex>(sockets: Set<S>, socket: S): void {
  sockets.add(socket);
  socket.on('error', () => undefined);
  socket.on('close', () => sockets.delete(socket));
}

/** A literal IPv6 address without its brackets; `localhost` by IPv4, where the fake listens. */
function hostOf(name: string): string {
  return name === 'localhost' ? '127.0.0.1' : name.replace(/^\[|\]$/g, '');
}
