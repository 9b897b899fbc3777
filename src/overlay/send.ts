import type { Call } from './call.ts';
import { Cancellation } from './cancellation.ts';
import type { Settings } from './config.ts';
import { type Accepted, accept } from './decode.ts';
import { AttemptHooks } from './hooks.ts';
import { publicError } from './public-error.ts';
import { follow, isRedirect } from './redirect.ts';
import { retryDelay } from './retry.ts';
import type { UploadBody, WireRequest } from './transport/transport.ts';

/**
 * Perform a call: the one attempt loop. Each attempt fires its hooks, sends, and reads the reply as the call wants it;
 * what a retry can mend is tried again after a wait that the caller can abort. `onStart` gets the means to stop it.
 */
export async function send(call: Call, settings: Settings, onStart?: (cancellation: Cancellation) => void): Promise<Accepted> {
  const cancellation = new Cancellation(call.signals, call.operation);
  onStart?.(cancellation);
  let open = false;
  try {
    for (let attempt = 0; ; attempt++) {
      cancellation.throwIfAborted();
      const hooks = settings.hooks.length === 0 ? undefined : new AttemptHooks(settings.hooks, metaOf(call, attempt), call.secrets);
      try {
        const accepted = await perform(call, settings, cancellation, hooks, attempt + 1);
        open = accepted.open;
        return accepted;
      } catch (cause) {
        const error = cancellation.reason ?? uploadOf(call)?.failure ?? publicError(cause, call.operation, attempt + 1);
        // Decided first: a hook that changes the error must not change the call.
        const delayMs = retryDelay(error, attempt, call.retry);
        hooks?.error(error);
        if (delayMs === undefined || isSpent(call)) throw error;
        await cancellation.sleep(delayMs);
      }
    }
  } finally {
    // An open reply still has a body to read, and gives the signals back at its end.
    if (!open) cancellation.release();
  }
}

/** One attempt, same-origin redirects included. */
async function perform(
  call: Call,
  settings: Settings,
  cancellation: Cancellation,
  hooks: AttemptHooks | undefined,
  attempts: number,
): Promise<Accepted> {
  let request: WireRequest = { url: call.url, method: call.route.method, headers: call.headers, body: call.body, timeoutMs: call.timeoutMs };
  for (let hops = 0; ; hops++) {
    const exchange = settings.transport(request);
    cancellation.onAbort((reason) => exchange.destroy(reason));
    let open = false;
    try {
      const response = await exchange.response;
      if (!isRedirect(response.status)) {
        const accepted = await accept({ call, settings, response, exchange, cancellation, hooks, attempts });
        open = accepted.open;
        return accepted;
      }
      const next = follow(call, request, response, hops);
      // The body of a redirect is not read.
      exchange.destroy(new Error('redirected'));
      request = next;
    } finally {
      // An answer can come before the body was sent whole: then the socket is of no more use.
      if (uploadOf(call)?.close?.() && !open) exchange.destroy(new Error('the upload was cut short'));
    }
  }
}

/** A stream that was opened cannot be sent again from its start. */
function isSpent(call: Call): boolean {
  return uploadOf(call)?.replayable === false;
}

function uploadOf(call: Call): UploadBody | undefined {
  return typeof call.body === 'object' ? call.body : undefined;
}

function metaOf(call: Call, attempt: number): AttemptHooks['meta'] {
  return { service: call.service, method: call.route.method, endpoint: call.route.path, model: call.model, attempt };
}
