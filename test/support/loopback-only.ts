import { Socket } from 'node:net';

const loopback = /^(127\.\d+\.\d+\.\d+|::1|localhost)$/;
const connect = Socket.prototype.connect;

/** No test talks to the outside: a connection that would leave loopback fails the test that tries it. */
Socket.prototype.connect = function guarded(this: Socket, ...values: unknown[]): Socket {
  const [first] = Array.isArray(values[0]) ? (values[0] as unknown[]) : values;
  const host =
    typeof first === 'object' && first !== null
      ? (first as { host?: string; path?: string | null }).path != null
        ? '::1'
        : (first as { host?: string }).host
      : values[1];
  if (typeof host === 'string' && !loopback.test(host)) throw new Error(`a test tried to connect to ${host}`);
  return Reflect.apply(connect, this, values) as Socket;
};
