import type { WireRequest, WireResponse } from '../transport/transport.ts';
import { RefusedAttempt } from './attempt/failure.ts';
import { requestIdOf } from './reply/response-info.ts';
import type { Call } from './request/call.ts';

const maxRedirects = 5;

/** Status 0 is the reply to a redirect in browsers, which hide its target. */
export function isRedirect(status: number): boolean {
  return status === 0 || status === 301 || status === 302 || status === 303 || status === 307 || status === 308;
}

/**
 * Return the request for the target of a redirect. Key and body never reach another origin: only a GET or HEAD is redirected there,
 * without credentials, as downloads from object stores require. A POST is never turned into a GET.
 */
export function follow(call: Call, request: WireRequest, response: WireResponse, redirects: number): WireRequest {
  const location = response.header('location');
  const target = location !== undefined && URL.canParse(location, request.url) ? new URL(location, request.url) : undefined;
  const from = new URL(request.url);
  const refuse = (why: string): RefusedAttempt =>
    new RefusedAttempt({
      operation: call.operation,
      surface: call.route.surface,
      status: response.status,
      code: undefined,
      category: 'server',
      serviceMessage: `redirect refused: ${why}`,
      advice: 'Check the base URL.',
      retryable: false,
      requestId: requestIdOf(response, call.secrets),
      retryAfter: undefined,
    });
  if (!target) throw refuse(response.status === 0 ? 'browsers hide its target' : 'its location is missing or not a valid URL');
  if (redirects >= maxRedirects) throw refuse(`more than ${maxRedirects} redirects in a row`);
  if (target.protocol !== 'https:' && target.protocol !== from.protocol) throw refuse('its target is not https');
  const refusal = call.link?.refusal(target);
  if (refusal !== undefined) throw refuse(`its target ${refusal}`);
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  if (!isRead && response.status !== 307 && response.status !== 308) throw refuse(`status ${response.status} would turn ${request.method} into GET`);
  if (typeof request.body === 'object' && !request.body.replayable) throw refuse('the request body can be sent only once');
  if (target.origin === from.origin) return { ...request, url: target.href };
  if (!isRead) throw refuse('its target is on another origin');
  const { accept = '*/*', 'user-agent': userAgent = '' } = request.headers;
  return { ...request, url: target.href, headers: { accept, 'user-agent': userAgent } };
}
