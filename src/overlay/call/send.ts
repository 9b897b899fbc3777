import { ConnectionError, type ModelsvcError } from '../errors/errors.ts';
import type { Exchange, UploadBody, WireRequest } from '../transport/transport.ts';
import { Admission } from './admission.ts';
import type { Call } from './call.ts';
import { Cancellation } from './cancellation.ts';
import { withFreshKey } from './key.ts';
import { endingOf } from './outcome.ts';
import { publicError } from './public-error.ts';
import { addText, noRetries } from './queue-text.ts';
import { follow, isRedirect } from './redirect.ts';
import { type AttemptFacts, Reply } from './reply.ts';
import { retryDecision } from './retry.ts';
import type { Settings } from './settings.ts';

/** Reads a reply. Throws the error of a reply that is not a success. */
export type Read<T> = (reply: Reply) => Promise<T>;

/**
 * Perform a call: the one attempt loop. Each attempt calls its hooks, sends the request, and reads the reply with `read`. A retryable
 * error is retried after a wait that the caller can abort. `onStart` gets the Cancellation that stops the call.
 */
export async function send<T>(call: Call, settings: Settings, read: Read<T>, onStart?: (cancellation: Cancellation) => void): Promise<T> {
  const cancellation = cancellationOf(call, settings);
  onStart?.(cancellation);
  let reply: Reply | undefined;
  let last: ModelsvcError | undefined;
  try {
    const { gates } = settings;
    const admission = gates && call.queue && new Admission(call, call.queue, gates, cancellation);
    for (let attempt = 0; ; attempt++) {
      cancellation.throwIfAborted();
      const entry = admission?.next(attempt, last);
      // A free place costs no turn of the event loop.
      const place = entry instanceof Promise ? await entry : entry;
      let sent = call;
      try {
        cancellation.throwIfAborted();
        // A failure of the key function is no attempt: no request is sent, and the next one would fail too.
        if (typeof call.endpoint.key === 'function') sent = await withFreshKey(call, settings, cancellation);
      } catch (error) {
        place?.end({ outcome: 'other' });
        throw error;
      }
      const waitedMs = admission?.waitedMs ?? 0;
      const hooks = call.hooks?.attempt(attempt, waitedMs);
      try {
        reply = await exchange(sent, settings, cancellation, { hooks, place, attempts: attempt + 1, waitedMs });
        return await read(reply);
      } catch (cause) {
        if (uploadOf(call)?.close?.()) reply?.body.cut();
        else reply?.body.cancel();
        const facts = { requestId: reply?.info.requestId, waitedMs, replied: reply !== undefined };
        const error = cancellation.reason ?? publicError(uploadOf(call)?.failure ?? cause, call, attempt + 1, facts);
        place?.end(endingOf(error));
        let { delayMs, why } = retryDecision(error, attempt, call.retry, isSpent(call));
        if (delayMs !== undefined && place && !admission?.mayRetry(place)) {
          [delayMs, why] = [undefined, 'budget'];
        }
        const told = why === 'budget' ? addText(error, noRetries) : error;
        hooks?.error(told);
        hooks?.retry(told, delayMs, why);
        if (delayMs === undefined) throw told;
        reply = undefined;
        last = told;
        await cancellation.sleep(delayMs);
      } finally {
        if (!reply?.open) place?.end();
        // A reply can arrive before the request body is completely sent. The socket cannot be reused then.
        if (uploadOf(call)?.close?.() && !reply?.open) reply?.body.cut();
      }
    }
  } catch (error) {
    call.hooks?.failed(error);
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
  for (let hops = 0; ; hops++) {
    const open = (): Exchange => settings.transport.open(request);
    const exchange = call.hooks ? call.hooks.around(open) : open();
    cancellation.onAbort((reason) => exchange.destroy(reason));
    const response = await exchange.response;
    if (response.status === 407) refuseProxy(call, settings.transport.forwarder?.(request.url), exchange);
    facts.hooks?.header();
    if (!isRedirect(response.status)) return new Reply({ call, settings, response, exchange, cancellation, ...facts });
    try {
      request = follow(call, request, response, hops);
    } finally {
      // The body of a redirect is not read.
      leave(exchange);
    }
  }
}

/** The status is the proxy's: it asks for a password. The service has not seen the request. */
function refuseProxy({ operation }: Call, proxy: string | undefined, exchange: Exchange): void {
  if (proxy === undefined) return;
  const advice = 'check its user name and password';
  const error = new ConnectionError(`proxy ${proxy} replied with status 407`, { operation, phase: 'connect', advice });
  exchange.destroy(error);
  throw error;
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
