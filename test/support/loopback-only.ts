import { Socket } from 'node:net';

const loopback = /^(127\.\d+\.\d+\.\d+|::1|localhost)$/;
const connect = Socket.prototype.connect;

/** Tests connect to loopback only: any other connection fails the test that opens it. */
function guarded(this: Socket, ...values: unknown[]): Socket {
  const [first] = Array.isArray(values[0]) ? (values[0] as unknown[]) : values;
  // An http.Agent passes `path: null`, so that its sockets are not taken for pipes.
  const host =
    typeof first === 'object' && first !== null
      ? typeof (first as { path?: string | null }).path === 'string'
        ? '::1'
        : (first as { host?: string }).host
      : values[1];
  if (typeof host === 'string' && !loopback.test(host)) {
    // A socket of TLS has a handle before it connects.
    this.destroy();
    throw new Error(`a test tried to connect to ${host}`);
  }
  return Reflect.apply(connect, this, values) as Socket;
}

// Test files that share a process load this file again.
if (connect.name !== guarded.name) Socket.prototype.connect = guarded;
