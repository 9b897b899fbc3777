// Texts that look like credentials.

/** The text in place of a credential. */
export const keyPlaceholder = '<key>';

interface Shape {
  /** Each match ends where its run of characters ends, so that the search is linear. */
  readonly pattern: RegExp;
  readonly name: string;
  /** True if a match is a credential. Default: each is. */
  readonly holds?: (match: string) => boolean;
}

const shapes: readonly Shape[] = [
  { name: 'a private key or certificate (PEM)', pattern: /-----BEGIN [A-Z0-9 ]{1,40}-----[\s\S]*?(?:-----END [A-Z0-9 ]{1,40}-----|$)/g },
  { name: 'a signed token (JWT)', pattern: /eyJ[\w-]{5,}(?:\.[\w-]*)*/g, holds: (match) => match.split('.').length > 2 },
  { name: 'a key of the service', pattern: /[0-9a-f]{32}\.[0-9a-z]{8,}/gi },
  // In JSON text, a line break before the key is a backslash and a letter.
  { name: 'a secret key (sk-…)', pattern: /(?<=^|[^A-Za-z0-9]|\\[nrt])[sprk]k[-_][\w-]{16,}/g },
  { name: 'a bearer credential', pattern: /bearer\s+[^\s"'<>,;)\]}\\]{8,}/gi },
  { name: 'a basic credential', pattern: /basic\s+[\w+/]{16,}={0,2}/gi, holds: (match) => /[\d=]/.test(match) },
  { name: 'a cloud key', pattern: /(?:AKIA|ASIA)[0-9A-Z]{16}|AIza[\w-]{35}/g },
  { name: 'a token of a code host or chat', pattern: /gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|xox[a-z]-[\w-]{10,}|npm_\w{20,}/g },
];

/** The text with each credential replaced: those that look like one, and the given ones. */
export function withoutKeys(text: string, secrets: readonly string[] = []): string {
  let clean = text;
  for (const secret of secrets) if (clean.includes(secret)) clean = clean.replaceAll(secret, keyPlaceholder);
  for (const { pattern, holds } of shapes) clean = clean.replace(pattern, (match) => (holds?.(match) === false ? match : keyPlaceholder));
  return clean;
}

/** No shape matches fewer characters. Most texts of a file are shorter, and the whole file is checked at each write. */
const shortest = 10;

/** The kind of credential that a text contains, for a message. Undefined if it contains none. */
export function keyIn(text: string): string | undefined {
  if (text.length < shortest) return undefined;
  // Most texts have no match, which a search finds faster than the list of all matches.
  const isIn = ({ pattern, holds }: Shape): boolean =>
    text.search(pattern) >= 0 && (holds === undefined || [...text.matchAll(pattern)].some(([match]) => holds(match)));
  return shapes.find(isIn)?.name;
}

/** Headers that carry a credential. */
export const credentialHeaders: readonly string[] = [
  'authorization',
  'proxy-authorization',
  'x-api-key',
  'api-key',
  'x-goog-api-key',
  'cookie',
  'set-cookie',
];

/** Shorter values are often ordinary words. */
const minSecretLength = 8;

/** The credentials in the headers of a request, without their schemes and the names of cookies. */
export function credentialsIn(headers: Readonly<Record<string, string>>): string[] {
  return Object.entries(headers).flatMap(([name, value]) =>
    credentialHeaders.includes(name.toLowerCase()) ? [value, ...value.split(/[\s;,]+/).map((part) => part.replace(/^[\w-]+=/, ''))] : [],
  );
}

/** Credentials as they may occur in other texts: whole, in parts, and escaped. Longest first. */
export function secretForms(credentials: readonly string[]): readonly string[] {
  const texts = credentials.flatMap((text) => [text, ...text.split('.')]).filter((text) => text.length >= minSecretLength);
  const forms = texts.flatMap((text) => [text, JSON.stringify(text).slice(1, -1), encodeURIComponent(text)]);
  return [...new Set(forms)].sort((a, b) => b.length - a.length);
}
