// The client of a run, in a process of its own: performs the calls in a few parallel loops over shared sockets, and reports each end.
import { AsyncLocalStorage } from 'node:async_hooks';
import { type Client, type Config, collect, type Hook, isModelsvcError, newClient } from '../../../src/overlay/index.ts';
import { type Wish, wishOf } from './answers.ts';
import { now } from './server.ts';

/** One attempt of a call, in milliseconds of `process.hrtime`. */
export interface Attempt {
  readonly start: number;
  end: number;
  /** Undefined for a reply. */
  error?: string;
}

/** How a call ended. */
export interface End {
  readonly type: 'end';
  readonly call: number;
  /** `answer`, the kind of the error, `stuck`, or an error that the library did not make. */
  readonly kind: string;
  /** Text of the answer, or of the error. */
  readonly text: string;
  readonly attempts: readonly Attempt[];
  /** When the caller aborted the call, as in `Attempt`. */
  readonly abortedAt: number | undefined;
}

type Outcome = Omit<End, 'attempts' | 'abortedAt'>;

/** An uncaught error of the process: no call rejected with it. */
export interface Uncaught {
  readonly type: 'uncaught';
  readonly text: string;
  /** Calls in flight. */
  readonly calls: readonly number[];
}

export interface ClientOptions {
  readonly url: string;
  readonly seed: number;
  readonly calls: number;
  readonly lanes: number;
  readonly transport: string;
  readonly ca: string | undefined;
}

/** Milliseconds after which a call counts as stuck. The server is never silent for long, so that only a hang or a very busy machine reaches it. */
const stuckMs = 120_000;

export async function runClient({ url, seed, calls, lanes, transport, ca }: ClientOptions): Promise<void> {
  const send = (message: End | Uncaught): void => void process.send?.(message);
  const flying = new Map<number, Attempt[]>();
  for (const name of ['uncaughtException', 'unhandledRejection'] as const)
    process.on(name, (error: unknown) => send({ type: 'uncaught', text: `${name}: ${detail(error)}`, calls: [...flying.keys()] }));
  const own: Partial<Config> = transport === 'fetch' ? { httpClient: (to, init) => fetch(to, init) } : ca === undefined ? {} : { ca };
  // Asked before each attempt, in the context of its call: the server learns the attempt from the key. One function is one key, and so one gate.
  const keys = new AsyncLocalStorage<() => string>();
  const apiKey = (): string => keys.getStore()?.() ?? '';
  // The gate has fewer places than there are loops, so that calls wait in its queue.
  const concurrency = Math.max(1, lanes - 1);
  const config: Config = { apiKey, endpoints: url, retryDelay: 1, timeout: 0, streamIdleTimeout: 0, concurrency, ...own };

  const perform = async (call: number, attempts: Attempt[], signal: AbortSignal): Promise<string> => {
    const wish = wishOf(seed, call);
    const ended = (attempt: number, error?: Error): void => {
      Object.assign(attempts[attempt] ?? {}, { end: now(), ...(error && { error: detail(error) }) });
    };
    const hook: Hook = {
      onRequest: ({ attempt }) => void (attempts[attempt] = { start: now(), end: 0 }),
      onResponse: ({ attempt }) => ended(attempt),
      onError: ({ attempt }, error) => ended(attempt, error),
    };
    const client = newClient({ ...config, maxRetries: wish.maxRetries, hooks: [hook] });
    return await keys.run(
      () => `chaos-key-${call}-${attempts.length}`,
      () => textFrom(client, wish, signal),
    );
  };

  const settled = async (call: number): Promise<End> => {
    const attempts: Attempt[] = [];
    flying.set(call, attempts);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const abort = new AbortController();
    let abortedAt: number | undefined;
    const { abortMs } = wishOf(seed, call);
    const aborting =
      abortMs === undefined
        ? undefined
        : setTimeout(() => {
            abortedAt = now();
            abort.abort();
          }, abortMs);
    const stuck = new Promise<Outcome>((resolve) => {
      timer = setTimeout(() => resolve({ type: 'end', call, kind: 'stuck', text: `not settled in ${stuckMs} ms` }), stuckMs);
    });
    const outcome = perform(call, attempts, abort.signal).then(
      (text): Outcome => ({ type: 'end', call, kind: 'answer', text }),
      (error: unknown): Outcome => ({ type: 'end', call, kind: isModelsvcError(error) ? error.kind : 'untyped', text: detail(error) }),
    );
    const end = await Promise.race([outcome, stuck]);
    clearTimeout(timer);
    clearTimeout(aborting);
    flying.delete(call);
    return { ...end, attempts, abortedAt };
  };

  let next = 0;
  const lane = async (): Promise<void> => {
    for (let call = next++; call < calls; call = next++) {
      const { pauseMs } = wishOf(seed, call);
      if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
      const end = await settled(call);
      send(end);
      // No further calls: they would get stuck as well.
      if (end.kind === 'stuck') next = calls;
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}

/** The text of the answer, over any surface. */
async function textFrom(client: Client, { surface, stream, size }: Wish, signal: AbortSignal): Promise<string> {
  const ctx = { signal };
  const content = 'x'.repeat(size + 1);
  const request = { model: 'm', max_tokens: 10, messages: [{ role: 'user' as const, content }] };
  if (surface === 'chat') {
    const chat = client.chat();
    const reply = await (stream ? collect(chat.stream(ctx, request)) : chat.create(ctx, request));
    return reply.choices[0]?.message.content ?? '';
  }
  if (surface === 'responses') {
    const [responses, asked] = [client.responses(), { model: 'm', input: content }];
    const reply = await (stream ? collect(responses.stream(ctx, asked)) : responses.create(ctx, asked));
    return reply.text();
  }
  const messages = client.anthropic();
  const reply = await (stream ? collect(messages.stream(ctx, request)) : messages.create(ctx, request));
  return reply.text();
}

/** Name, message and causes of an error, on one line. */
function detail(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { phase, replied } = error as { phase?: unknown; replied?: unknown };
  const facts = phase === undefined ? '' : ` [${phase}, replied ${replied}]`;
  return `${error.name}: ${error.message}${facts}${error.cause === undefined ? '' : ` < ${detail(error.cause)}`}`;
}
