import type { IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate as turn } from 'node:timers/promises';
import { registry } from '../../overlay/concurrency/registry.ts';
import { validated } from '../../overlay/errors/problem.ts';
import type { Config } from '../../overlay/index.ts';
import { checkValues } from '../checks.ts';
import { configFor, fakeKey } from '../config.ts';
import { ServedRecording } from '../exchanges/served.ts';
import type { Fault } from '../faults.ts';
import { BatchBook } from '../memory/batches.ts';
import { type Capacity, CapacityBook, capacityChecks } from '../memory/capacity.ts';
import { KnownIds } from '../memory/known-ids.ts';
import { PromptCache } from '../memory/prompts.ts';
import { ResponseBook } from '../memory/stored-responses.ts';
import { TaskBook, type TaskScript, taskChecks } from '../memory/tasks.ts';
import { KnownModels } from '../requests/known-models.ts';
import type { FakeRequest } from '../requests/request.ts';
import { type RootName, rootsOf } from '../requests/roots.ts';
import { Listener } from '../sockets/listener.ts';
import type { Answer } from './answer.ts';
import { type ExchangeSettings, FakeExchange } from './exchange.ts';
import { KeptRequests } from './kept-requests.ts';
import { type FakeOptions, type IdleOptions, idleChecks, optionChecks } from './options.ts';
import { Script, type ScriptedOperation, TurnScript } from './script.ts';

/** A fake of the service on a real local server. See `startFakeService`. */
export class FakeService {
  /** Scripts the turns of the chat surface. */
  readonly chat: TurnScript = new TurnScript((answer) => this.answer('chat.create', answer));
  /** Scripts the turns of the message surface. */
  readonly messages: TurnScript = new TurnScript((answer) => this.answer('anthropic.create', answer));
  /** Script for `responses.create`. */
  readonly responses: TurnScript = new TurnScript((answer) => this.answer('responses.create', answer));
  readonly #script = new Script();
  readonly #tasks = new TaskBook();
  readonly #batches = new BatchBook(this.#tasks);
  readonly #capacity = new CapacityBook();
  readonly #listener: Listener;
  readonly #exchanges = new Set<FakeExchange>();
  readonly #waiting = new Set<() => void>();
  readonly #scheme: 'http' | 'https';
  readonly #address: string;
  readonly #settings: ExchangeSettings;
  readonly #requests: KeptRequests;

  /** Use `startFakeService`. */
  constructor(options: FakeOptions) {
    const {
      keys = [fakeKey],
      validate = true,
      models,
      toolResults = 'any',
      echo = false,
      keepRequests,
      keepBytes,
      replay,
      tls,
      host = '127.0.0.1',
      onRefusal,
      onEnd,
    } = options;
    this.#requests = new KeptRequests(keepRequests, keepBytes);
    this.#settings = {
      keys,
      validate,
      models: new KnownModels(models),
      toolResults,
      echo,
      recording: replay === undefined ? undefined : new ServedRecording(replay),
      script: this.#script,
      tasks: this.#tasks,
      batches: this.#batches,
      responses: new ResponseBook(),
      ids: new KnownIds(),
      capacity: this.#capacity,
      prompts: new PromptCache(),
      record: (request) => this.#requests.add(request),
      refused: (request) => onRefusal?.(request),
      ended: (request) => {
        onEnd?.(request);
        this.#requests.ended(request);
      },
    };
    this.#scheme = tls ? 'https' : 'http';
    this.#address = host;
    this.#listener = new Listener(
      tls,
      (incoming, outgoing) => this.#serve(incoming, outgoing),
      () => this.#changed(),
    );
  }

  /** The base URL. It serves every operation of every surface by its path. */
  get url(): string {
    const host = this.#address.includes(':') ? `[${this.#address}]` : this.#address;
    return `${this.#scheme}://${host}:${this.#listener.port}`;
  }

  /** A separate root for each surface, to test which root a call uses: `configFor({ endpoints: { coding: fake.roots.coding } })`. */
  get roots(): Readonly<Record<RootName, string>> {
    return rootsOf(this.url);
  }

  /** Received requests, oldest first, including rejected ones. */
  get requests(): readonly FakeRequest[] {
    return this.#requests.list;
  }

  /** The refused ones among `requests`, each with the reason in `refusal`. Scripted failures and limits are not refusals. */
  get refusals(): readonly FakeRequest[] {
    return this.#requests.list.filter(({ refusal }) => refusal !== undefined);
  }

  /** Open connections, including idle ones. */
  get sockets(): number {
    return this.#listener.sockets;
  }

  /** Requests in flight: their answers have not ended. */
  get exchanges(): number {
    return this.#exchanges.size;
  }

  /** Scripted answers that are not used yet. */
  get waiting(): number {
    return this.#script.waiting;
  }

  /** Returns a Config that points every root at this fake. See `configFor`. */
  configFor(overrides: Partial<Config> = {}): Config {
    return configFor(this.url, overrides);
  }

  /**
   * Script the answers of an operation, or of any with `'*'`. Each is used once, in order. Then the fake answers without a script again.
   * Answers for an operation take precedence over `'*'`.
   *
   * @example
   * fake.answer('chat.create', faults.serverErrors(2), { turn: { text: 'third time lucky' } });
   */
  answer(operation: ScriptedOperation, ...answers: readonly (Answer | readonly Fault[])[]): this {
    this.#script.add(operation, answers.flat() as Answer[]);
    return this;
  }

  /** Set the answer of an operation, or of any with `'*'`, for when no scripted answer is left. Pass undefined to restore the examples. */
  fallback(operation: ScriptedOperation, answer: Answer | undefined): this {
    this.#script.setFallback(operation, answer);
    return this;
  }

  /**
   * Serve a file at a path below the base URL, as the storage host of results does: for every method, without a key. Returns its URL.
   *
   * @example
   * fake.answer('images.create', { body: { created: 1, data: [{ url: fake.host('/cat.png', { body: png }) }] } });
   */
  host(path: string, answer: Answer): string {
    this.#script.setHosted(path, answer);
    return this.url + path;
  }

  /**
   * Script the next background task. An unscripted task is running at its first poll and has succeeded at the second.
   *
   * @example
   * fake.task({ states: ['PROCESSING', 'PROCESSING', 'FAIL'] });
   */
  task(script: TaskScript = {}): this {
    validated('task', () => checkValues(script, taskChecks, ''));
    this.#tasks.script(script);
    if (script.id !== undefined) this.#settings.ids.add(script.id);
    return this;
  }

  /**
   * Limit the calls at once and their rate, for each key and model, as the service does. Each call of `capacity` replaces the limits.
   *
   * @example
   * fake.capacity({ atOnce: 4 });
   */
  capacity(capacity: Capacity): this {
    validated('capacity', () => checkValues(capacity, capacityChecks, ''));
    this.#capacity.set(capacity);
    return this;
  }

  /** Highest number of calls of one key and model that were accepted at once, since the last `capacity`. */
  get mostAtOnce(): number {
    return this.#capacity.most;
  }

  /** Delete scripts, files, tasks, stored responses, limits, cached prompts and recorded requests, and what the clients of this process have learned. */
  reset(): this {
    registry().forget(this.url);
    this.#capacity.set({});
    this.#script.clear();
    this.#tasks.clear();
    this.#batches.clear();
    this.#settings.responses.clear();
    this.#settings.ids.clear();
    this.#settings.prompts.clear();
    this.#requests.clear();
    return this;
  }

  /** Stop listening and close every connection. New connections are refused until you call `accept`. */
  refuse(): Promise<void> {
    return this.#listener.refuse();
  }

  /** Listen again, on the same port. */
  accept(port: number = this.#listener.port): Promise<void> {
    return this.#listener.accept(port, this.#address);
  }

  /** Resolves when no request is in flight and, with `sockets`, no connection is open. Rejects after `timeoutMs`. Default: 10,000. */
  async idle(options: IdleOptions = {}): Promise<void> {
    validated('idle', () => checkValues(options, idleChecks));
    const { sockets = false, timeoutMs = 10_000 } = options;
    const until = performance.now() + timeoutMs;
    // A request whose client has left already may still be in the socket: one turn accepts the connection, the next ones read it.
    for (let turns = 0; turns < 3; turns++) await turn();
    while (this.exchanges > 0 || (sockets && this.sockets > 0)) {
      for (const exchange of this.#exchanges) exchange.readOn();
      const leftMs = until - performance.now();
      if (leftMs <= 0) throw new Error(`the fake is not idle after ${timeoutMs} ms: ${this.exchanges} exchanges, ${this.sockets} sockets`);
      await this.#change(leftMs);
    }
  }

  /** Stop the fake: close every connection and end every answer in flight. Afterwards the fake does not keep the process alive. Idempotent. */
  async close(): Promise<void> {
    await this.refuse();
    await this.idle({ sockets: true, timeoutMs: 10_000 });
  }

  #serve(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const exchange = new FakeExchange(incoming, outgoing, this.#settings, (closed) => {
      this.#exchanges.delete(closed);
      this.#changed();
    });
    this.#exchanges.add(exchange);
    void exchange.run();
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
 * Start a fake of the service: a real HTTP server on 127.0.0.1, or on `host`, that serves every surface from the same spec as the client. It answers as scripted.
 * Without a script, the asked model calls a forced or fitting tool, follows a JSON schema, or has the text of the spec's example. The fake rejects
 * wrong keys, invalid requests and unknown ids as the service does, and records every request.
 *
 * @example
 * const fake = await startFakeService();
 * const client = newClient(fake.configFor());
 * fake.chat.reply('Hello!');
 * await client.chat().createSimple('glm-5.3', 'Hi');
 * fake.requests[0]?.body;
 * await fake.close();
 */
export async function startFakeService(options: FakeOptions = {}): Promise<FakeService> {
  const fake = validated('startFakeService', () => {
    checkValues(options, optionChecks);
    return new FakeService(options);
  });
  await fake.accept(options.port ?? 0);
  // Another fake may have had the port.
  return fake.reset();
}

/** Returns a local URL that refuses connections. */
export async function refusedUrl(): Promise<string> {
  const fake = await startFakeService();
  await fake.close();
  return fake.url;
}
