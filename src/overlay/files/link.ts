// Files at links. Results of the service link to object stores: other hosts, which get no key.
import type { Route } from '../../generated/routes.ts';
import { RefusedAttempt } from '../call/attempt/failure.ts';
import type { Reply } from '../call/reply/reply.ts';
import { buildCall } from '../call/request/build-call.ts';
import type { Link } from '../call/request/call.ts';
import { send } from '../call/send.ts';
import type { Settings } from '../call/settings/settings.ts';
import type { CallContext } from '../context.ts';
import { categoryOfStatus } from '../errors/failure.ts';
import { Problem } from '../json/problem.ts';
import { isPrivateHost } from './address.ts';
import { BinaryReply } from './binary.ts';

const route: Route = { id: 'download', method: 'GET', path: '', surface: 'chat', reply: 'bytes', bills: false, charges: false, pathParameters: [] };

export async function openLink(settings: Settings, ctx: CallContext, link: string | URL): Promise<BinaryReply> {
  return send(
    buildCall(route, ctx, settings, () => ({ link: linkOf(settings, link) })),
    settings,
    async (reply) => {
      refuseFailedLink(reply);
      return new BinaryReply(reply);
    },
  );
}

/** A link that may be opened. Throws a Problem without its query, which may be a signature. */
function linkOf({ endpoints }: Settings, link: unknown): Link {
  // A service on this machine or in a private network has its files there too.
  const isPrivate = Object.values(endpoints).some(({ root }) => isPrivateHost(new URL(root)));
  const refusal: Link['refusal'] = (url) => {
    if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'is not an HTTP URL';
    if (url.username !== '' || url.password !== '') return 'contains a password';
    return !isPrivate && isPrivateHost(url) ? `is in a private network: ${url.host}` : undefined;
  };
  const text = String(link);
  if (!URL.canParse(text)) throw new Problem('link', 'is not an HTTP URL');
  const url = new URL(text);
  const problem = refusal(url);
  if (problem !== undefined) throw new Problem('link', problem);
  return { url, refusal };
}

/** The body of a refusal is not quoted: object stores repeat the signed parts of the request in it. */
function refuseFailedLink({ info: { status, requestId }, call }: Reply): void {
  if (status >= 200 && status <= 299) return;
  const category = categoryOfStatus(status);
  const isGone = status === 403 || status === 404 || status === 410;
  throw new RefusedAttempt({
    operation: call.operation,
    surface: route.surface,
    status,
    code: undefined,
    category,
    serviceMessage: `${new URL(call.endpoint.origin).host} refused the link`,
    advice: isGone ? 'It may have expired: request the result again.' : '',
    retryable: category === 'rate' || category === 'server',
    requestId,
    retryAfter: undefined,
  });
}
