// Checks over the network, with free calls only.
import { lookup } from 'node:dns/promises';
import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { type Client, responseInfo } from 'modelsvc';
import { quotaWindow } from 'modelsvc/monitor';
import type { Cli } from '../../cli.ts';
import { type Finding, problemOf } from '../../reports/finding.ts';
import { waitText } from '../../terminal/time-text.ts';

const connectMs = 10_000;
const skewMs = 5 * 60_000;

/** DNS, TCP and TLS of a host. */
export async function networkFinding(origin: URL, signal: AbortSignal): Promise<Finding> {
  const { hostname, host } = origin;
  const name = hostname.replace(/^\[|\]$/g, '');
  const next = 'Check the connection, the firewall, and whether a proxy is needed (HTTPS_PROXY).';
  let address: string;
  try {
    ({ address } = await lookup(name));
  } catch (error) {
    return {
      check: 'network',
      status: 'problem',
      text: `${name} has no address: ${codeOf(error)}`,
      next: 'Check the connection and the DNS server.',
    };
  }
  try {
    const protocol = await handshake(origin, name, signal);
    return { check: 'network', status: 'ok', text: `${host} (${address}) answers${protocol === '' ? '' : ` over ${protocol}`}` };
  } catch (error) {
    const code = codeOf(error);
    const isCertificate = /CERT|SELF_SIGNED|UNABLE_TO|ALTNAME/.test(code);
    return {
      check: 'network',
      status: 'problem',
      text: isCertificate ? `the certificate of ${host} is not accepted: ${code}` : `no connection to ${host} (${address}): ${code}`,
      next: isCertificate ? 'Behind a company proxy set NODE_EXTRA_CA_CERTS to its certificate.' : next,
    };
  }
}

function handshake({ protocol, port }: URL, host: string, signal: AbortSignal): Promise<string> {
  const isTls = protocol === 'https:';
  const place = { host, port: Number(port || (isTls ? 443 : 80)) };
  return new Promise((resolve, reject) => {
    const secure = isTls ? connectTls({ ...place, ...(isIP(host) === 0 && { servername: host }) }) : undefined;
    const socket: Socket = secure ?? connectPlain(place);
    const stop = (): void => void socket.destroy(new Error('interrupted'));
    signal.addEventListener('abort', stop, { once: true });
    socket.setTimeout(connectMs, () => socket.destroy(Object.assign(new Error('timeout'), { code: 'ETIMEDOUT' })));
    socket.once(isTls ? 'secureConnect' : 'connect', () => {
      resolve(secure?.getProtocol() ?? '');
      socket.destroy();
    });
    socket.once('error', reject);
    socket.once('close', () => signal.removeEventListener('abort', stop));
  });
}

function codeOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code ?? message;
}

/** The model list shows whether the key is accepted, and the time of the service. */
export async function serviceFindings(cli: Cli, client: Client): Promise<Finding[]> {
  try {
    const models = await client.models().list(cli.ctx);
    const ok: Finding = {
      check: 'service',
      status: 'ok',
      text: `the service accepts the key and lists ${models.data.filter(({ listed }) => listed).length} models`,
    };
    return [ok, ...clockFindings(responseInfo(models).headers.get('date') ?? undefined, Date.now())];
  } catch (error) {
    return [await problemOf('service', error)];
  }
}

export function clockFindings(header: string | undefined, now: number): Finding[] {
  const there = Date.parse(header ?? '');
  if (Number.isNaN(there)) return [];
  const skew = now - there;
  if (Math.abs(skew) < skewMs) return [{ check: 'clock', status: 'ok', text: 'the clock agrees with the service' }];
  const text = `the clock of this machine is ${waitText(Math.abs(skew))} ${skew > 0 ? 'ahead of' : 'behind'} the service`;
  return [{ check: 'clock', status: 'problem', text, next: 'Set the clock, for instance with NTP: certificates and reset times depend on it.' }];
}

/** Windows of the plan. A key without a plan has none. */
export async function quotaFindings(cli: Cli, client: Client): Promise<Finding[]> {
  try {
    const { level, limits } = await client.quota().getLimit(cli.ctx);
    if (!level && limits.length === 0) return [{ check: 'quota', status: 'ok', text: 'the key has no coding plan' }];
    return [{ check: 'quota', status: 'ok', text: `coding plan ${level ?? ''}`.trim() }, ...limits.map(windowFinding)];
  } catch (error) {
    return [{ ...(await problemOf('quota', error)), status: 'note' }];
  }
}

function windowFinding(limit: Parameters<typeof quotaWindow>[0]): Finding {
  const { name, usedFraction, exhausted, low, resetsAt } = quotaWindow(limit);
  const text = `${name}: ${usedFraction === undefined ? 'use unknown' : `${Math.round(usedFraction * 100)} % used`}`;
  if (!exhausted) return { check: 'quota', status: low ? 'note' : 'ok', text, ...(low && { next: 'See `modelsvc quota`.' }) };
  const wait = resetsAt ? Math.max(resetsAt.getTime() - Date.now(), 0) : undefined;
  return {
    check: 'quota',
    status: 'problem',
    text,
    next: wait === undefined ? 'Wait for the reset, or use another account.' : `It resets in ${waitText(wait)}.`,
  };
}
