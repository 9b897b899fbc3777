import type { Config } from '../config.ts';
import { Problem } from '../errors/problem.ts';
import { builtin, type NodeTls } from '../platform.ts';

/** All certificates of `Config.ca` as one PEM text. Throws a Problem if one cannot be read: Node ignores it silently. */
export function authorityOf(ca: NonNullable<Config['ca']>): string {
  const { X509Certificate } = builtin<{ X509Certificate: new (pem: string) => object }>('node:crypto');
  const texts = [ca].flat().map((one: unknown) => (one instanceof Uint8Array ? new TextDecoder().decode(one) : String(one)));
  const found = texts.map((text) => text.match(/-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----[^-]+-----END [A-Z0-9 ]+-----/g));
  try {
    // A path, or a key in place of a certificate, has none.
    if (found.length === 0) throw found;
    return found
      .flatMap((pems) => {
        if (!pems) throw found;
        for (const pem of pems) new X509Certificate(pem);
        return pems;
      })
      .join('\n');
  } catch {
    throw new Problem('ca', 'must be certificates in PEM: the text or bytes of the file, not its path');
  }
}

/** A TLS context that trusts these certificates and those of Node. In an Agent's `ca`, they would be part of the name of each connection. */
export function trusting(authority: string): object {
  const { createSecureContext, getCACertificates, rootCertificates } = builtin<NodeTls>('node:tls');
  return createSecureContext({ ca: [...(getCACertificates?.('default') ?? rootCertificates), authority] });
}
