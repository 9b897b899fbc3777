import { readFileSync } from 'node:fs';
import { createSecureContext, type SecureContext } from 'node:tls';
import { fileURLToPath } from 'node:url';

// By way of the root, so that the certificates are found from a bundle below node_modules/.cache too.
function path(name: string): string {
  return fileURLToPath(new URL(`../../test/support/certs/${name}`, import.meta.url));
}

/** Path of the private authority, for `NODE_EXTRA_CA_CERTS` of a child process. */
export const caPath: string = path('ca.pem');

/** The private authority, in PEM. */
export const ca: string = readFileSync(caPath, 'utf8');

/** Trusts the private authority alone. */
export const secureContext: SecureContext = createSecureContext({ ca });

/** Certificate and key for a server on localhost, 127.0.0.1 or ::1: `startFakeService({ tls: serverTls })`. */
export const serverTls: { readonly cert: string; readonly key: string } = {
  cert: readFileSync(path('server.pem'), 'utf8'),
  key: readFileSync(path('server-key.pem'), 'utf8'),
};

/** Path of a certificate for the service's own hosts, which signs itself. */
export const hostsCaPath: string = path('hosts.pem');

/** Certificate and key for a server instead of the service's own hosts. */
export const hostsTls: { readonly cert: string; readonly key: string } = {
  cert: readFileSync(hostsCaPath, 'utf8'),
  key: readFileSync(path('hosts-key.pem'), 'utf8'),
};
