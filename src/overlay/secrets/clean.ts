import { bounded, cut } from '../json/cut.ts';
import { withoutKeys } from './key-shapes.ts';
import { formsOf, hasSecret, minSecretLength } from './secrets.ts';

/** Cleans foreign text before it enters an error or reaches a hook. The work depends on `limit` and the longest secret, not on the text's length. */

/** Maximum length of a message, in characters; for codes and ids it is `maxTokenLength`. */
const maxMessageLength = 500;
const maxTokenLength = 128;

const placeholder = '[key]';

/** Terminal sequences: colors and cursor moves (CSI), titles and links (OSC), and two-character escapes. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to remove
const escapeSequences = /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|(?:\x1b\]|\x9d)[^\x07\x1b\x9c\x9d]*(?:\x07|\x1b\\|\x9c)|\x1b[ -/]*[0-~]/g;
/** Control and format characters, including bidi controls, and lone surrogates. */
const unprintable = /[\p{Cc}\p{Cf}\p{Cs}]/gu;
const plainToken = /^[\w.-]{1,128}$/;

/** Keys and headers of a client. */
interface SecretFields {
  readonly apiKey: unknown;
  readonly chinaAPIKey?: unknown;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The newest keys that the key functions of the client returned. */
  readonly recentKeys?: readonly string[];
}

/** The API keys of a client, their parts split at `.`, its headers and a call's. Values under 8 characters are left out. */
export function secretsOf(
  { apiKey, chinaAPIKey, headers = {}, recentKeys = [] }: SecretFields,
  contextHeaders: Readonly<Record<string, string>> = {},
): string[] {
  const keys = [apiKey, chinaAPIKey, ...recentKeys].filter(isText).flatMap((key) => [key, ...key.split('.')]);
  // Header values may not be strings: a wait may end before its first call validates the context.
  const values = [...Object.values(headers), ...Object.values(contextHeaders)].filter(isText);
  return [...new Set([...keys, ...values].map(plainText).filter((secret) => secret.length >= minSecretLength))];
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

/** Foreign text with secrets and bearer credentials redacted, on one line, without control characters and at most `limit` characters long. */
export function cleanText(text: string, secrets: readonly string[], limit: number = maxMessageLength): string {
  const longest = formsOf(secrets)[0]?.length ?? 0;
  const examined = 4 * limit + longest;
  const clean = withoutKeys(plainText(text.slice(0, examined)).replace(/(bearer\s+)\S+/gi, `$1${placeholder}`), secrets, placeholder);
  if (text.length <= examined) return bounded(clean, limit);
  // The cut may have left the beginning of a secret at the end.
  return `${cut(clean, Math.min(Math.max(clean.length - longest, 0), limit - 1))}…`;
}

/** A foreign code or id. A plain token is returned unchanged; other text is cleaned and capped at 128 characters. */
export function cleanToken(token: string, secrets: readonly string[]): string {
  if (plainToken.test(token) && !hasSecret(token, secrets)) return token;
  return cleanText(token, secrets, maxTokenLength);
}

/** One line of printable text. Secrets go through it too; otherwise a header value with two blanks would not be found. */
function plainText(text: string): string {
  return text.replace(escapeSequences, '').replace(/\s+/g, ' ').replace(unprintable, '').trim();
}
