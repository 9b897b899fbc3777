import type { Config } from '../config.ts';
import { Problem } from '../errors/problem.ts';
import { builtin, type NodeTls } from '../platform.ts';

/** All certificates of `Config.ca` as one PEM text. Throws a Problem if one cannot be read: Node ignores it silently. */
export function authorityOf(ca: NonNullable<Config['ca']>): string {
  const { X509Certificate } = builtin<{ X509Certificate: new (pem: string) => object }>('node:crypto');
  try {
    const pems = [ca].flat().flatMap((one: string | Uint8Array) => {
      const text = typeof one === 'string' ? one : new TextDecoder().decode(one);
      const found = text.match(/-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----[^-]+-----END [A-Z0-9 ]+-----/g);
      // A path has none, and neither has a key in place of a certificate.
      return found ?? [text];
    });
    for (const pem of pems) new X509Certificate(pem);
    if (pems.length > 0) return pems.join('\n');
  } catch {
    // The platform's own error may quote the text.
  }
  throw new Problem('ca', 'must be certificates in PEM: the text or bytes of the file, not its path');
}

/** A TLS context that trusts these certificates and those of Node. In an Agent's `ca`, they would be part of the name of each connection. */
export function trusting(authority: string): object {
  const { createSecureContext, getCACertificates, rootCertificates } = builtin<NodeTls>('node:tls');
  return createSecureContext({ ca: [...(getCACertificates?.('default') ?? rootCertificates), authority] });
}
