// The request of any client of fetch, read whole.
import { bodyOf, formOf } from './bodies.ts';
import type { ExchangeRequest } from './form.ts';

/** A request that was read: as an exchange has it, and as the real fetch takes it. */
export interface ReadRequest {
  readonly exchange: ExchangeRequest;
  readonly url: string;
  readonly init: RequestInit;
  readonly signal: AbortSignal;
}

const loopback = /^(?:127\.\d+\.\d+\.\d+|\[::1\]|localhost)$/;

/** Reads a request. `hosts` renames hosts, with or without their port. Rejects with the reason of an aborted signal. */
export async function readRequest(
  input: string | URL | Request,
  init: RequestInit | undefined,
  hosts: Readonly<Record<string, string>>,
): Promise<ReadRequest> {
  const request = new Request(input, init);
  request.signal.throwIfAborted();
  const bytes = new Uint8Array(await request.arrayBuffer());
  const url = new URL(request.url);
  const headers = Object.fromEntries(request.headers);
  const { method, redirect, signal } = request;
  const { duplex: _duplex, ...rest } = (init ?? {}) as RequestInit & { readonly duplex?: unknown };
  return {
    exchange: exchangeOf({ method, host: hostOf(url, hosts), path: url.pathname + url.search, headers }, bytes),
    url: request.url,
    init: { ...rest, method, headers, redirect, signal, ...(bytes.length > 0 ? { body: bytes } : { body: null }) },
    signal,
  };
}

/** A request with its body in the form of a file. */
export function exchangeOf(request: ExchangeRequest, bytes: Uint8Array): ExchangeRequest {
  const type = request.headers['content-type'] ?? '';
  const parts = formOf(bytes, type);
  return { ...request, ...(parts ? { parts } : bodyOf(bytes, type)) };
}

/** A server of a test has another port in each run. */
function hostOf({ host, hostname }: URL, hosts: Readonly<Record<string, string>>): string {
  if (Object.hasOwn(hosts, host)) return hosts[host] ?? host;
  if (Object.hasOwn(hosts, hostname)) return hosts[hostname] ?? host;
  return loopback.test(hostname) ? 'localhost' : host;
}
