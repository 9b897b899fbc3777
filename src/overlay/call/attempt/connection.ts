import type { ConnectionPhase } from '../../errors/errors.ts';
import { isModelsvcError } from '../../errors/guards.ts';
import { validationError } from '../../errors/problem.ts';
import { Problem } from '../../json/problem.ts';
import { keptCause, safeCode } from '../../secrets/cause.ts';
import { MisusedFetch, type SocketQueue, TransportFailure, UnreadEncoding } from '../../transport/transport.ts';
import type { Call } from '../request/call.ts';
import { Disconnected, type Failure, RefusedAttempt } from './failure.ts';

/** A call as far as the words about its connection need it. */
type FailedCall = Pick<Call, 'operation' | 'secrets' | 'endpoint'>;

/** The facts of any failure of an exchange. `replied` is true if the response header had arrived. */
export function failureOf(cause: unknown, call: FailedCall, attempts: number, replied: boolean): Failure {
  if (cause instanceof RefusedAttempt || cause instanceof Disconnected || isModelsvcError(cause)) return cause;
  const { operation, secrets } = call;
  if (cause instanceof Problem) return validationError(operation, cause);
  if (cause instanceof TransportFailure) return fromTransport(cause, call, attempts);
  return new Disconnected(replied ? 'the response could not be read' : failedEarly, {
    operation,
    seeCause: true,
    phase: replied ? 'body' : 'connect',
    replied,
    cause: keptCause(cause, secrets),
  });
}

const failedEarly = 'the request failed before a response arrived';

const waitingFor: Readonly<Record<ConnectionPhase, string>> = {
  socket: 'a free socket',
  connect: 'a connection',
  tls: 'the TLS handshake',
  request: 'the service to accept the request body',
  headers: 'the response header',
  body: 'the next byte of the response',
};

const advice: Partial<Record<ConnectionPhase, string>> = {
  headers: 'The service may still be working: raise timeout, in the Config or the context.',
  body: 'Raise streamIdleTimeout if such silence is expected.',
};

const noAddress = 'The host has no address: check the base URL, the network and its DNS.';

/** Next steps by code of the platform. */
const next: ReadonlyMap<string | undefined, string> = new Map([
  ['ENOTFOUND', noAddress],
  ['EAI_AGAIN', noAddress],
  ['ECONNREFUSED', 'No program accepts connections there: check host and port of the base URL.'],
]);

function fromTransport(failure: TransportFailure, { operation, secrets, endpoint }: FailedCall, attempts: number): Disconnected {
  const { phase, timeoutMs, replied, content, proxy, queue } = failure;
  const code = safeCode(failure.code, secrets);
  const facts = { operation, phase, code, replied, cause: keptCause(failure.cause, secrets) };
  const via = proxy === undefined ? '' : ` through the proxy ${proxy}`;
  if (timeoutMs !== undefined && content)
    return new Disconnected(
      `waited ${timeoutMs} ms for the next content of the stream; only pings and comments arrived`,
      { ...facts, advice: 'Raise streamContentTimeout if such silence is expected.' },
      timeoutMs,
    );
  const { cause } = failure;
  // These messages are written for users. A ProxyError names the proxy or the variable, never the credentials.
  if (cause instanceof MisusedFetch || cause instanceof UnreadEncoding || (cause instanceof Error && cause.name === 'ProxyError'))
    return new Disconnected(cause.message, facts, timeoutMs);
  if (timeoutMs !== undefined)
    return new Disconnected(
      `waited ${timeoutMs} ms for ${waitingFor[phase]}${via}`,
      { ...facts, advice: queue ? queueText(queue, attempts) : advice[phase] },
      timeoutMs,
    );
  const ownTimeout = ownTimeouts.get(code);
  if (ownTimeout)
    return new Disconnected(
      `the fetch in use reached its own limit of 300 s (${code}), which Config.timeout does not change`,
      { ...facts, phase: ownTimeout },
      300_000,
    );
  const story = storyOf(failure, new URL(endpoint.root).host, via);
  return new Disconnected(`${story}${code ? ` (${code})` : ''}`, { ...facts, advice: next.get(code), seeCause: story === failedEarly });
}

function queueText({ limit, open, clients, waiting }: SocketQueue, attempts: number): string {
  const sent = attempts > 1 ? `was not sent again after attempt ${attempts - 1}, which failed` : 'was not sent';
  const users = clients === undefined ? '' : clients === 1 ? ' by one client' : ` by ${clients} clients`;
  const field = clients === undefined ? 'maxSockets of the agent' : 'maxSockets';
  return `The call ${sent}. ${field} is ${limit}, with ${open} in use${users} and ${waiting - 1} more calls waiting. Raise it, or end open streams.`;
}

function storyOf(failure: TransportFailure, host: string, via: string): string {
  const { phase, replied, code } = failure;
  if (phase === 'body') return 'the connection broke in the middle of the response';
  if (replied)
    return isReset(code)
      ? 'the connection broke after the request was sent, and the response header is incomplete or missing'
      : 'the response header is incomplete or could not be parsed';
  if (phase === 'headers') return 'the connection broke after the request was sent, before a response arrived';
  if (phase === 'request') return 'the request could not be sent';
  if (phase === 'tls') return `the TLS handshake with ${host} failed${via}`;
  // A bug of an injected fetch, or a browser's refusal: the platform gives no code for it.
  if (code === undefined || /^ERR_(?!TLS|SSL|SOCKET)/.test(code)) return failedEarly;
  if (isReset(code)) return `the connection broke before a response arrived${via}`;
  return `no connection to ${host}${via}`;
}

function isReset(code: string | undefined): boolean {
  return code !== undefined && /^(ECONNRESET|ECONNABORTED|EPIPE|UND_ERR_SOCKET|ConnectionClosed|ConnectionReset)$/.test(code);
}

/** Node's fetch has its own limits, which no option of fetch changes. The code implies the phase, which a rejected fetch does not report. */
const ownTimeouts: ReadonlyMap<string | undefined, ConnectionPhase> = new Map([
  ['UND_ERR_HEADERS_TIMEOUT', 'headers'],
  ['UND_ERR_BODY_TIMEOUT', 'body'],
]);
