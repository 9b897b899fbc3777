import type { SecureContext } from 'node:tls';
import type { Config } from '../overlay/config.ts';
import { Problem } from '../overlay/json/problem.ts';

/** All certificates of `Config.ca` as one PEM text. Throws a Problem if one cannot be read: Node ignores it silently. */
export function authorityOf(ca: NonNullable<Config['ca']>): string {
  const { X509Certificate } = process.getBuiltinModule('node:crypto');
  try {
    const pems = [ca].flat().flatMap((one: string | Uint8Array) => {
      const text = typeof one === 'string' ? one : new TextDecoder().decode(one);
      const found = text.match(/-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----[^-]+-----END [A-Z0-9 ]+-----/g);
      // Text without a certificate, for instance a path or a key, is parsed below and throws.
      return found ?? [text];
    });
    for (const pem of pems) new X509Certificate(pem);
    if (pems.length > 0) return pems.join('\n');
  } catch {
    // The platform's own error may quote the text.
  }
  throw new Problem('ca', 'must be certificates in PEM: the text or bytes of the file, not its path');
}

/** `getCACertificates` exists from Node 22.15. It adds the certificates of NODE_EXTRA_CA_CERTS and of the system. */
type Tls = typeof import('node:tls') & { readonly getCACertificates?: (type: 'default') => readonly string[] };

/** A TLS context that trusts these certificates and Node's. An Agent's option `ca` would make them a part of the name of each connection. */
export function trusting(authority: string): SecureContext {
  const { createSecureContext, getCACertificates, rootCertificates } = process.getBuiltinModule('node:tls') as Tls;
  return createSecureContext({ ca: [...(getCACertificates?.('default') ?? rootCertificates), authority] });
}
