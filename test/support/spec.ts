import { inject } from 'vitest';
import { type CallContext, type Client, type Config, type Context, newClient, responseInfo } from '../../src/overlay/index.ts';

export const testKey = 'test-key-0123456789.secretpart';

/** A Config whose every root is `url`. */
export function configAt(url: string, config: Partial<Config> = {}): Config {
  const endpoints = { messages: url, agents: url, monitor: url, biz: url, china: url, coding: url, platform: url };
  return { apiKey: testKey, baseURL: url, endpoints, ...config };
}

/** A client of the shared mock. */
export function mockClient(config: Partial<Config> = {}): Client {
  return newClient(configAt(inject('mockUrl'), config));
}

/** Ask the mock for one of the examples by name, with or without a status. */
export function preferring(example: string, status?: string): Context {
  return { headers: { prefer: status === undefined ? `example=${example}` : `code=${status}, example=${example}` } };
}

export function withoutRetries(ctx: CallContext): Context {
  return { ...(ctx instanceof AbortSignal ? { signal: ctx } : ctx), maxRetries: 0 };
}

/** The exchange of a result: its status, and the violations that the mock reports, if any. */
export function exchangeOf(result: object): { status: number | undefined; violations: string | null | undefined } {
  const info = responseInfo(result);
  return { status: info?.status, violations: info?.headers.get('sl-violations') };
}

/** The request id in the header of every failure of the mock. */
export const mockRequestId = '20260711073212097e10bd995f4190';

export const accepted = { status: 200, violations: null };

/** The items of a stream, and the error that ended it. */
export async function collect<T>(stream: AsyncIterable<T>): Promise<{ items: T[]; error: unknown }> {
  const items: T[] = [];
  try {
    for await (const item of stream) items.push(item);
    return { items, error: undefined };
  } catch (error) {
    return { items, error };
  }
}

/** The error of a call that must fail. */
export async function failureOf(call: () => unknown): Promise<unknown> {
  try {
    await call();
  } catch (error) {
    return error;
  }
  throw new Error('the call did not fail');
}
