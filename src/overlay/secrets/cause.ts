import { type Fields, isObject } from '../json/json-value.ts';
import { cleanText } from './clean.ts';
import { hasSecret } from './secrets.ts';

/** Properties of platform errors that never contain a header or a payload. Others, such as `rawPacket`, `config` or `body`, may. */
const plainProperty = /^(name|message|cause|errors|code|errno|syscall|host|hostname|address|port|path|localAddress|phase|status|proxy|timeoutMs)$/;
/** Names and codes of errors whose message may quote input: parsers of JSON and HTTP quote the response, Node quotes an invalid argument. */
const quoting = /^(SyntaxError$|HPE_|UND_ERR_(HEADERS|RES_)|ERR_(HTTP_)?INVALID)/;
const maxDepth = 5;

/** Returns the cause itself if it cannot contain a secret. Otherwise returns a copy of its safe properties, or undefined if it has none. */
export function keptCause(cause: unknown, secrets: readonly string[]): unknown {
  try {
    if (isClean(cause, secrets, 0)) return cause ?? undefined;
    return typeof cause === 'object' ? copyOf(cause as Fields, secrets) : undefined;
  } catch {
    // One of its getters throws.
    return undefined;
  }
}

/** The code if it has the form of a platform's code, because an injected fetch may put any text there. */
export function safeCode(code: unknown, secrets: readonly string[]): string | undefined {
  return typeof code === 'string' && /^[A-Za-z]\w{0,63}$/.test(code) && isClean(code, secrets, 0) ? code : undefined;
}

function isClean(value: unknown, secrets: readonly string[], depth: number): boolean {
  if (typeof value === 'string') return cleanText(value, secrets) === value;
  if (!isObject(value)) return typeof value !== 'function';
  if (depth > maxDepth) return false;
  if (Array.isArray(value)) return value.every((one) => isClean(one, secrets, depth + 1));
  if (!(value instanceof Error) || mayQuote(value)) return false;
  // `ownKeys` does not list an inherited name or message, for instance a DOMException's.
  return ['name', 'message', ...Reflect.ownKeys(value)].every((name) => {
    const field = (value as unknown as Readonly<Record<PropertyKey, unknown>>)[name];
    // Libraries mark their errors with symbols. A boolean mark contains no text.
    if (typeof name === 'symbol') return typeof field === 'boolean';
    // `cleanText` would change any stack, because a stack has several lines.
    if (name === 'stack') return !hasSecret(String(field), secrets);
    return plainProperty.test(name) && isClean(field, secrets, depth + 1);
  });
}

/** True for an error whose message may quote a header or a payload. */
function mayQuote({ name, message, code }: { readonly name?: unknown; readonly message?: unknown; readonly code?: unknown }): boolean {
  return quoting.test(String(name)) || quoting.test(String(code)) || /header/i.test(String(message));
}

/** An error with the code, system call, host and port of the cause, each only if it has the form of such a value. */
function copyOf(cause: Fields, secrets: readonly string[]): Error | undefined {
  const inner = (cause['cause'] ?? cause) as Fields;
  const code = safeCode(cause['code'] ?? inner['code'], secrets);
  if (code === undefined && !(cause instanceof Error)) return undefined;
  const { syscall, hostname, port } = inner;
  const facts = Object.entries({ code, syscall, hostname, port }).filter(
    ([, value]) => value !== undefined && /^[\w.:-]{1,253}$/.test(String(value)) && isClean(String(value), secrets, 0),
  );
  return Object.assign(new Error(code ?? 'left out: it may quote a header or a payload'), Object.fromEntries(facts));
}
