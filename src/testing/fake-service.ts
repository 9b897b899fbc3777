import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Config } from '../overlay/index.ts';
import type { Answer } from './answer.ts';
import { configFor, fakeKey } from './config.ts';
import { Exchange, type ExchangeSettings } from './exchange.ts';
import type { Fault } from './faults.ts';
import type { FakeRequest } from './request.ts';
import { type RootName, rootsOf } from './roots.ts';
import { Script, TurnScript } from './script.ts';
import { TaskBook, type TaskScript } from './tasks.ts';

/** How a fake is started. Everything has a default. */
export interface FakeOptions {
  /** Keys it takes; any other is refused with 401. Default: `fakeKey` alone. */
  readonly keys?: readonly string[] | 'any';
  /** Check requests against the rules of the spec and refuse them as the service does. Default: true. */
  readonly validate?: boolean;
  /** How many of the latest requests to keep. Default: all. */
  readonly keepRequests?: number;
  /** Serve HTTPS with this certificate and key, in PEM. Default: plain HTTP. */
  readonly tls?: { readonly cert: string; readonly key: string };
  /** Default: one that is free. */
  readonly port?: number;
}

/** A fake of the service on a real local server. See `startFakeService`. */
export class FakeService {
  /** The conversations of the chat surface, turn by turn. */
  readonly chat: TurnScript = new TurnScript((answer) => this.answer('chat.create', answer));
  /** The conversations of the message surface, turn by turn. */
  readonly messages: TurnScript = new TurnScript((answer) => this.answer('anthropic.create', answer));
  readonly #script = new Script();
  readonly #tasks = new TaskBook();
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #exchanges = new Set<Exchange>();
  readonly #waiting = new Set<() => void>();
  readonly #scheme: 'http' | 'https';
  readonly #settings: ExchangeSettings;
  readonly #keepRequests: number;
  #requests: FakeRequest[] = [];
  #port = 0;

  /** Use `startFakeService`. */
  constructor(options: FakeOptions) {
    const { keys = [fakeKey], validate = true, keepRequests = Number.POSITIVE_INFINITY, tls } = options;
    this.#keepRequests = keepRequests;
    this.#settings = { keys, validate, script: this.#script, tasks: this.#tasks, record: (request) => this.#record(request) };
    this.#scheme = tls ? 'https' : 'http';
    const onRequest = (incoming: IncomingMessage, outgoing: ServerResponse): void => this.#serve(incoming, outgoing);
    this.#server = tls ? createTlsServer({ cert: tls.cert, key: tls.key }, onRequest) : createServer(onRequest);
    // A client that keeps a connection decides when it ends; a fake that closes first would be a fault nobody asked for.
    this.#server.keepAliveTimeout = 0;
    this.#server.requestTimeout = 0;
    this.#server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        this.#sockets.delete(socket);
        this.#changed();
      });
    });
    this.#server.on('tlsClientError', () => undefined);
  }

  /** The bare URL, which serves every operation of every surface by its path. */
  get url(): string {
    return `${this.#scheme}://127.0.0.1:${this.#port}`;
  }

  /** The roots as the real hosts have them, for tests of which root a call takes: `configFor({ endpoints: { coding: fake.roots.coding } })`. */
  get roots(): Readonly<Record<RootName, string>> {
    return rootsOf(this.url);
  }

  /** What was received, oldest first, refused requests included. */
  get requests(): readonly FakeRequest[] {
    return this.#requests;
  }

  /** Connections open now, idle ones included. */
  get sockets(): number {
    return this.#sockets.size;
  }

  /** Requests whose answer has not ended yet. */
  get exchanges(): number {
    return this.#exchanges.size;
  }

  /** Scripted answers that no request has used yet. */
  get waiting(): number {
    return this.#script.waiting;
  }

  /** A Config that points every root at this fake; see `configFor`. */
  configFor(overrides: Partial<Config> = {}): Config {
    return configFor(this.url, overrides);
  }

  /**
   * Script the answers of an operation, `'*'` for any. Each is used once, in order; then the spec's examples come back.
   * What stands for the operation itself goes before what stands for any.
   *
   * @example
   * fake.answer('chat.create', faults.serverErrors(2), { turn: { text: 'third time lucky' } });
   */
  answer(operation: string, ...answers: readonly (Answer | readonly Fault[])[]): this {
    this.#script.add(operation, answers.flat() as Answer[]);
    return this;
  }

  /** Answer an operation, `'*'` for any, in this way whenever nothing else is scripted; undefined brings the examples back. */
  fallback(operation: string, answer: Answer | undefined): this {
    this.#script.setFallback(operation, answer);
    return this;
  }

  /**
   * Script how the next background task goes. Without a script, one that is created runs at its first poll and has succeeded at the next.
   *
   * @example
   * fake.task({ states: ['PROCESSING', 'PROCESSING', 'FAIL'] });
   */
  task(script: TaskScript = {}): this {
    this.#tasks.script(script);
    return this;
  }

  /** Forget scripts, tasks and recorded requests. */
  reset(): this {
    this.#script.clear();
    this.#tasks.clear();
    this.#requests = [];
    return this;
  }

  /** Stop listening and cut every connection: from now on connections are refused, until `accept`. */
  refuse(): Promise<void> {
    if (!this.#server.listening) return Promise.resolve();
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const socket of this.#sockets) socket.destroy();
    return closed;
  }

  /** Listen again, on the same port. */
  async accept(port: number = this.#port): Promise<void> {
    if (this.#server.listening) return;
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, '127.0.0.1', () => {
        this.#server.off('error', reject);
        resolve();
      });
    });
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  /** Settles once no request is being answered (and, with `sockets`, no connection is open); rejects after `timeoutMs`. */
  async idle({ sockets = false, timeoutMs = 10_000 }: { readonly sockets?: boolean; readonly timeoutMs?: number } = {}): Promise<void> {
    const until = performance.now() + timeoutMs;
    while (this.exchanges > 0 || (sockets && this.sockets > 0)) {
      const leftMs = until - performance.now();
      if (leftMs <= 0) throw new Error(`the fake is not idle after ${timeoutMs} ms: ${this.exchanges} exchanges, ${this.sockets} sockets`);
      await this.#change(leftMs);
    }
  }

  /** Stop: every connection is cut, every answer under way ends, nothing keeps the process alive. May be called twice. */
  async close(): Promise<void> {
    await this.refuse();
    await this.idle({ sockets: true, timeoutMs: 10_000 });
  }

  #serve(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const exchange = new Exchange(incoming, outgoing, this.#settings, (closed) => {
      this.#exchanges.delete(closed);
      this.#changed();
    });
    this.#exchanges.add(exchange);
    void exchange.run();
  }

  #record(request: FakeRequest): void {
    this.#requests.push(request);
    if (this.#requests.length > this.#keepRequests) this.#requests.shift();
  }

  #changed(): void {
    for (const wake of this.#waiting) wake();
  }

  #change(timeoutMs: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, timeoutMs);
      this.#waiting.add(wake);
    });
  }
}

/**
 * Start a fake of the service: a real HTTP server on 127.0.0.1 that speaks both surfaces from the same spec as the client. It answers with
 * the spec's examples, or as scripted; checks keys and requests and refuses bad ones as the service does; and records what it gets.
 *
 * @example
 * const fake = await startFakeService();
 * const client = newClient(fake.configFor());
 * fake.chat.reply('Hello!');
 * await client.chat().createSimple(undefined, 'glm-5.2', 'Hi');
 * fake.requests[0]?.body;
 * await fake.close();
 */
export async function startFakeService(options: FakeOptions = {}): Promise<FakeService> {
  const fake = new FakeService(options);
  await fake.accept(options.port ?? 0);
  return fake;
}

/** A URL of this machine where connections are refused. */
export async function refusedUrl(): Promise<string> {
  const fake = await startFakeService();
  await fake.close();
  return fake.url;
}
