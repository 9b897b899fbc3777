import type { Billed, ModelsvcError } from '../errors/errors.ts';
import { higherOf, raiseBilled, withBilled, withPrevious } from '../errors/refusal.ts';
import type { SeenUsage } from '../hooks/hook.ts';
import type { Exchange, UploadBody, WireRequest } from '../transport/transport.ts';
import { failureOf } from './attempt/connection.ts';
import { doorOf } from './attempt/doors.ts';
import { Disconnected, errorOf, RefusedAttempt } from './attempt/failure.ts';
import { fateOf } from './attempt/fate.ts';
import { withFreshKey } from './attempt/key.ts';
import { noRetriesLeft } from './attempt/outcome.ts';
import { RetryDecider } from './attempt/retry.ts';
import { Cancellation } from './cancellation.ts';
import { follow, isRedirect } from './redirect.ts';
import { type AttemptFacts, Reply } from './reply/reply.ts';
import type { Call, OnCallStart } from './request/call.ts';
import type { Settings } from './settings/settings.ts';

/** Reads a reply. Throws the error of a reply that is not a success. */
export type Read<T> = (reply: Reply) => Promise<T>;

/**
 * Perform a call: the one attempt loop. Each attempt calls its hooks, sends the request, and reads the reply with `read`. A retryable
 * error is retried after a wait that the caller can abort. `onStart` gets the Cancellation that stops the call.
 */
export async function send<T>(call: Call, settings: Settings, read: Read<T>, onStart?: OnCallStart): Promise<T> {
  const cancellation = cancellationOf(call, settings);
  const door = doorOf(call, settings, cancellation);
  onStart?.(cancellation);
  let reply: Reply | undefined;
  let last: ModelsvcError | undefined;
  let seen: SeenUsage = { usage: undefined, usageIsFinal: true };
  let decider: RetryDecider | undefined;
  let billed: Billed = 'no';
  try {
    for (let attempt = 0; ; attempt++) {
      cancellation.throwIfAborted();
      const wait = door.pass(attempt, last, decider?.endsAt);
      if (wait) await wait;
      cancellation.throwIfAborted();
      // Outside the attempt: if the key function fails, no request is sent, and a retry would fail too.
      const sent = typeof call.endpoint.key === 'function' ? await withFreshKey(call, settings, cancellation) : call;
      const { waitedMs } = door;
      const hooks = call.hooks?.attempt(attempt, waitedMs);
      const facts: AttemptFacts = { hooks, door, attempts: attempt + 1, billed, exchange: undefined };
      try {
        reply = await exchange(sent, settings, cancellation, facts);
        return await read(reply);
      } catch (cause) {
        if (uploadOf(call)?.close?.()) reply?.body.cut();
        else reply?.body.cancel();
        const attempts = attempt + 1;
        const failure = failureOf(cancellation.reason ?? uploadOf(call)?.failure ?? cause, call, attempts, reply !== undefined);
        // A request whose body could not be read is never complete.
        const isSent = facts.exchange?.isSent === true && uploadOf(call)?.failure === undefined;
        const fate = fateOf(failure, call, isSent, reply?.hasBegun);
        door.ended(fate);
        billed = higherOf(billed, fate.billed);
        const begun = reply?.hasBegun ? reply.seen : undefined;
        seen = begun?.usage ?? { usage: failure instanceof RefusedAttempt ? failure.usage : undefined, usageIsFinal: true };
        decider ??= new RetryDecider(call.retry);
        const { delayMs, why, leftMs } = decider.decide(failure, fate.billed, attempt, isSpent(call), () => door.mayRetry());
        const advice = `${door.advice(failure, attempts)} ${why === 'gate' ? noRetriesLeft : ''}`;
        const state = { attempts, waitedMs, billed, requestId: reply?.info.requestId, partial: begun?.partial() };
        const error = withBilled(errorOf(failure, state, advice, sent.secrets), billed);
        hooks?.error(error);
        hooks?.retry(error, delayMs, why, leftMs);
        if (delayMs === undefined) {
          if (failure instanceof RefusedAttempt && failure.reply) call.onRefused?.(failure.reply);
          throw error;
        }
        reply = undefined;
        last = error;
        await cancellation.sleep(delayMs);
      } finally {
        if (!reply?.open) door.ended({ billed });
        // A reply can arrive before the request body is completely sent. The socket cannot be reused then.
        if (uploadOf(call)?.close?.() && !reply?.open) reply?.body.cut();
      }
    }
  } catch (error) {
    withPrevious(error, last);
    raiseBilled(error, billed);
    door.ended({ billed: 'no', failure: error });
    call.hooks?.failed(error, seen);
    throw error;
  } finally {
    // An open reply releases the signals when its body ends.
    if (!reply?.open) cancellation.release();
  }
}

/** Throws if the client is closed. */
function cancellationOf({ signals, operation, hooks }: Call, { lifetime }: Settings): Cancellation {
  try {
    return new Cancellation(signals, operation, lifetime);
  } catch (error) {
    hooks?.failed(error);
    throw error;
  }
}

/** Perform one attempt up to the response header, including redirects. */
async function exchange(call: Call, settings: Settings, cancellation: Cancellation, facts: AttemptFacts): Promise<Reply> {
  const { url, headers, body, timeoutMs } = call;
  const onWait: WireRequest['onWait'] = ({ limit, open: inFlight, waiting }) => facts.hooks?.queued({ limit, inFlight, waiting });
  let request: WireRequest = { url, method: call.route.method, headers, body, timeoutMs, onWait };
  for (let redirects = 0; ; redirects++) {
    const open = (): Exchange => settings.transport.open(request);
    const exchange = call.hooks ? call.hooks.around(open) : open();
    facts.exchange = exchange;
    // Bound: a closure would keep the request as long as an open stream.
    cancellation.onAbort(exchange.destroy.bind(exchange));
    const response = await exchange.response;
    if (response.status === 407) refuseProxy(call, settings.transport.forwarder?.(request.url), facts);
    facts.hooks?.header();
    if (!isRedirect(response.status)) return new Reply({ call, settings, response, exchange, cancellation, facts });
    try {
      request = follow(call, request, response, redirects);
    } finally {
      // The body of a redirect is not read.
      leave(exchange);
    }
  }
}

/** The proxy itself sent this status, to ask for a password. The service has not received the request. */
function refuseProxy({ operation }: Call, proxy: string | undefined, facts: AttemptFacts): void {
  if (proxy === undefined) return;
  const advice = 'check its user name and password';
  const refusal = new Disconnected(`proxy ${proxy} replied with status 407`, { operation, phase: 'connect', advice });
  facts.exchange?.destroy(refusal);
  facts.exchange = undefined;
  throw refusal;
}

function leave(exchange: Exchange): void {
  exchange.destroy(new Error('redirected'));
}

/** True if the body is a stream that was opened: it cannot be sent again from its start. */
function isSpent(call: Call): boolean {
  return uploadOf(call)?.replayable === false;
}

function uploadOf(call: Call): UploadBody | undefined {
  return typeof call.body === 'object' ? call.body : undefined;
}
