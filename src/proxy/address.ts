import { ProxyError } from './error.ts';

/** A proxy as the environment names it. */
export interface ProxyAddress {
  /** The variable that names it. */
  readonly variable: string;
  /** `host:port`, without credentials. */
  readonly name: string;
  /** TLS to the proxy itself. */
  readonly secure: boolean;
  /** An IPv6 address has no brackets. */
  readonly host: string;
  readonly port: number;
  /** Value of `proxy-authorization`. */
  readonly authorization: string | undefined;
}

/** Reads a variable's value. An error names the variable and never the value, which may hold a password. */
export function proxyAddress(variable: string, value: string): ProxyAddress {
  // Without a scheme it is a plain proxy, as for curl, whatever the scheme of the target.
  const text = value.includes('://') ? value : `http://${value}`;
  if (!URL.canParse(text)) throw refused(variable, 'is not a URL; use http://host:port');
  const url = new URL(text);
  if (/^socks[45]?[ah]?:$/.test(url.protocol))
    throw refused(variable, `names a SOCKS proxy (${url.protocol}//), which is not supported; use an http:// or https:// proxy, or set httpClient`);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw refused(variable, 'has an unsupported scheme; use http:// or https://');
  // An unescaped `/`, `?` or `#` in a password ends the host too early, and the password's start would be taken for a port.
  if (`${url.pathname}${url.search}${url.hash}`.includes('@')) throw refused(variable, 'has an "@" behind the host; percent-encode the credentials');
  const secure = url.protocol === 'https:';
  const port = Number(url.port || (secure ? 443 : 80));
  return {
    variable,
    name: `${url.hostname}:${port}`,
    secure,
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port,
    authorization: authorizationOf(url, variable),
  };
}

function authorizationOf({ username, password }: URL, variable: string): string | undefined {
  if (username === '' && password === '') return undefined;
  try {
    return `Basic ${Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64')}`;
  } catch {
    throw refused(variable, 'has credentials that are not valid percent-encoding');
  }
}

function refused(variable: string, problem: string): ProxyError {
  return new ProxyError(`environment variable ${variable} ${problem}`, { proxy: variable });
}
