/** Tools of the checks. Only the web platform, so that they run in every runtime. */
import type { Client, Config } from '../../../src/overlay/index.ts';
import { configFor, fakeKey } from '../../../src/testing/config.ts';
import type { Fault } from '../../../src/testing/faults.ts';
import type { Reply } from '../../../src/testing/replies/reply.ts';

/** The servers, which run in another process. */
export interface Places {
  /** The fake service. */
  readonly url: string;
  /** Its control server, which is another origin. */
  readonly control: string;
  /** A URL on which no server listens. */
  readonly refused: string;
}

/** A request that a server received. */
export interface Seen {
  readonly operation?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly size: number;
  readonly outcome: string;
}

export type Script = Readonly<Record<string, readonly (Reply | Fault)[]>>;

/** The library of the runtime, and the servers. */
export interface World extends Places {
  readonly modelsvc: typeof import('../../../src/overlay/index.ts');
  client(config?: Partial<Config>): Client;
  /** Resets the fake, and sets the next answers of its operations. */
  script(answers: Script): Promise<void>;
  /** Requests that the fake received since `script`. Waits until none is in flight. */
  seen(): Promise<readonly Seen[]>;
  /** Requests that reached the other origin since `script`. */
  elsewhere(): Promise<readonly Seen[]>;
}

export type Checks = Readonly<Record<string, (world: World) => Promise<void>>>;

export function worldOf(modelsvc: World['modelsvc'], places: Places): World {
  const ask = async (path: string, body?: unknown): Promise<unknown> => {
    const response = await fetch(places.control + path, body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) });
    if (!response.ok) throw new Error(await response.text());
    return response.json();
  };
  return {
    modelsvc,
    ...places,
    client: (config) => modelsvc.newClient(configFor(places.url, { dangerouslyAllowBrowser: true, ...config })),
    script: async (answers) => void (await ask('/script', answers)),
    seen: async () => (await ask('/seen')) as Seen[],
    elsewhere: async () => (await ask('/elsewhere-seen')) as Seen[],
  };
}

export const key: string = fakeKey;

export const chatRequest: { model: string; messages: { role: 'user'; content: string }[] } = {
  model: 'glm-5.2',
  messages: [{ role: 'user', content: 'hi' }],
};
export const messageRequest: typeof chatRequest & { max_tokens: number } = { ...chatRequest, max_tokens: 64 };

/** Throws unless both values have the same JSON. */
export function same(fact: string, actual: unknown, expected: unknown): void {
  const [is, wanted] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (is !== wanted) throw new Error(`${fact}: ${is} instead of ${wanted}`);
}

/** The error of a promise that must reject. */
export async function errorOf(promise: Promise<unknown>): Promise<Error> {
  try {
    await promise;
  } catch (error) {
    return error as Error;
  }
  throw new Error('resolved instead of rejecting');
}

/** Items of a stream, and the error that ended it. */
export async function drained<T>(stream: AsyncIterable<T>): Promise<{ readonly items: T[]; readonly error: unknown }> {
  const items: T[] = [];
  try {
    for await (const item of stream) items.push(item);
    return { items, error: undefined };
  } catch (error) {
    return { items, error };
  }
}
