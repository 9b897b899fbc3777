/** The environment variables about proxies, read in one place. Used by the transport and by the command line. */
import { type Exception, exceptionFrom } from './exception.ts';

export interface ProxyChoice {
  /** Name of the variable with the proxy for the protocol of the URL, and its value. Undefined if none is set. */
  readonly variable: string | undefined;
  readonly value: string | undefined;
  /** Name of the variable with the exceptions. */
  readonly exceptions: 'no_proxy' | 'NO_PROXY';
  /** The first entry that matches the URL, as it was written. A URL with one is reached directly. */
  readonly exception: string | undefined;
  /** Entries that no rule reads, as they were written. */
  readonly unread: readonly string[];
}

/** Environment variables by name. */
export type Variables = Readonly<Record<string, string | undefined>>;

type NamedException = readonly [text: string, exception: Exception | undefined];

/** The last list, since each request asks for it. */
let last: { readonly text: string; readonly entries: readonly NamedException[] } = { text: '', entries: [] };

function entriesOf(text: string): readonly NamedException[] {
  if (text !== last.text) last = { text, entries: text.split(/[,\s]+/).flatMap((entry) => (entry === '' ? [] : [[entry, exceptionFrom(entry)]])) };
  return last.entries;
}

/** Which proxy the variables name for a URL. Variables in lower case come first. */
export function proxyChoice({ protocol, hostname, port }: URL, env: Variables): ProxyChoice {
  const scheme = protocol.slice(0, -1);
  const variable = [`${scheme}_proxy`, `${scheme.toUpperCase()}_PROXY`, 'all_proxy', 'ALL_PROXY'].find((name) => env[name]);
  const exceptions = env['no_proxy'] ? 'no_proxy' : 'NO_PROXY';
  const entries = entriesOf(env[exceptions] ?? '');
  const host = hostname.replace(/^\[|\]$|\.$/g, '');
  const effective = Number(port || (scheme === 'https' ? 443 : 80));
  return {
    variable,
    value: variable === undefined ? undefined : env[variable],
    exceptions,
    exception: entries.find(([, matches]) => matches?.(host, effective))?.[0],
    unread: entries.flatMap(([text, matches]) => (matches ? [] : [text])),
  };
}
