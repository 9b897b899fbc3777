import { ProxyError } from './error.ts';

/** The address of a proxy from an environment variable. */
export interface ProxyAddress {
  /** Name of the variable. */
  readonly variable: string;
  /** `host:port`, without credentials. */
  readonly name: string;
  /** TLS to the proxy itself. */
  readonly secure: boolean;
  /** Host name or IP address. IPv6 addresses have no brackets. */
  readonly host: string;
  readonly port: number;
  /** Value of `proxy-authorization`. */
  readonly authorization: string | undefined;
}

/** Parses the value of a variable. Errors contain the name of the variable but not its value, which may contain a password. */
export function proxyAddress(variable: string, value: string): ProxyAddress {
  // Like curl: without a scheme, it is an http proxy for every target.
  const text = value.includes('://') ? value : `http://${value}`;
  if (!URL.canParse(text)) throw refused(variable, 'is not a URL; use http://host:port');
  const url = new URL(text);
  if (/^socks[45]?[ah]?:$/.test(url.protocol))
    throw refused(variable, `is a SOCKS proxy (${url.protocol}//), which is not supported; use an http:// or https:// proxy, or set httpClient`);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw refused(variable, 'has an unsupported scheme; use http:// or https://');
  // An unescaped `/`, `?` or `#` in a password ends the host early. Part of the password would be read as the port.
  if (`${url.pathname}${url.search}${url.hash}`.includes('@')) throw refused(variable, 'has an "@" after the host; percent-encode the credentials');
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
