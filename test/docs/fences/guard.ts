/**
 * Loaded before a fence, in its process. Connections to the service's hosts end at the fake over TLS. Ports that pages give to
 * mocks and local servers lead to the fake without TLS. Other connections beyond loopback throw, and the process ends with status 99.
 */
import { Socket } from 'node:net';
import { env } from 'node:process';

const loopback = /^(127\.\d+\.\d+\.\d+|::1|localhost)$/;
const serviceHosts = ['api.z.ai', 'open.bigmodel.cn', 'gateway.example'];
const localPorts = ['4010', '8080', '11434'];
const connect = Socket.prototype.connect;

interface Target {
  readonly host?: string;
  readonly port?: number | string;
  /** A pipe. Null for the sockets of an http.Agent. */
  readonly path?: string | null;
}

Socket.prototype.connect = function guarded(this: Socket, ...values: unknown[]): Socket {
  const listed = Array.isArray(values[0]) ? (values[0] as unknown[]) : values;
  const [target, callback] = listed as [Target | number, unknown];
  // Only the forms that http, https, tls and fetch use.
  if (typeof target !== 'object' || typeof target.path === 'string') return Reflect.apply(connect, this, values) as Socket;
  const { host = 'localhost', port } = target;
  const isLocal = loopback.test(host);
  if (isLocal && !localPorts.includes(String(port))) return Reflect.apply(connect, this, values) as Socket;
  if (!isLocal && !serviceHosts.includes(host)) {
    process.on('exit', () => (process.exitCode = 99));
    throw new Error(`the fence left this machine: ${host}`);
  }
  const redirected = { ...target, host: '127.0.0.1', port: Number(env[isLocal ? 'FENCE_HTTP' : 'FENCE_HTTPS']) };
  return Reflect.apply(connect, this, callback === null || callback === undefined ? [redirected] : [redirected, callback]) as Socket;
};
