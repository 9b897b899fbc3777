/** Known secrets in foreign text, in every form that a service or a gateway may repeat. */

/** Shorter values are often ordinary words. */
export const minSecretLength = 8;

const found = new WeakMap<readonly string[], { readonly count: number; readonly forms: readonly string[] }>();

/** The forms of secrets, longest first. A list that grows gets the forms of its new members. */
export function formsOf(secrets: readonly string[]): readonly string[] {
  const known = found.get(secrets);
  if (known?.count === secrets.length) return known.forms;
  const forms = [...new Set(secrets.flatMap(formsOfOne))].filter((form) => form.length >= minSecretLength).sort((a, b) => b.length - a.length);
  found.set(secrets, { count: secrets.length, forms });
  return forms;
}

export function hasSecret(text: string, secrets: readonly string[]): boolean {
  return formsOf(secrets).some((form) => text.includes(form));
}

/** A credential in a text: the first character, and the one after the last. */
export type Hole = readonly [start: number, end: number];

/** The places of secrets, also of those that overlap. */
export function formHoles(text: string, secrets: readonly string[]): Hole[] {
  const holes: [start: number, end: number][] = [];
  for (const form of formsOf(secrets)) {
    let last: [start: number, end: number] | undefined;
    for (let at = text.indexOf(form); at >= 0; at = text.indexOf(form, at + 1)) {
      if (last && at < last[1]) last[1] = at + form.length;
      else holes.push((last = [at, at + form.length]));
    }
  }
  return holes;
}

/** The text with `fill` in each hole. Holes that overlap become one: filling one after the other would leave the end of the second. */
export function filled(text: string, holes: readonly Hole[], fill: (length: number) => string): string {
  if (holes.length === 0) return text;
  const joined: [start: number, end: number][] = [];
  for (const [start, end] of [...holes].sort(([a], [b]) => a - b)) {
    const last = joined.at(-1);
    if (last && start < last[1]) last[1] = Math.max(last[1], end);
    else joined.push([start, end]);
  }
  let clean = '';
  let done = 0;
  for (const [start, end] of joined) {
    clean += text.slice(done, start) + fill(end - start);
    done = end;
  }
  return clean + text.slice(done);
}

/** JSON inside the text of JSON, and so on, has ever more backslashes. */
const maxNesting = 5;

/** A secret as it is, in lower case as in a host, in JSON, in URLs and forms, and in base64. */
function formsOfOne(secret: string): string[] {
  if (secret.length < minSecretLength) return [];
  const nested = [secret];
  while (nested.length <= maxNesting) nested.push(JSON.stringify(nested.at(-1)).slice(1, -1));
  const [, json = ''] = nested;
  const escaped = json.replace(/[<>&\x7f-\uffff]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
  const percent = encodeURIComponent(secret.replace(/[\uD800-\uDFFF]/gu, '\uFFFD'));
  const urls = [percent, percent.replaceAll('%20', '+')].flatMap((form) => [form, form.replace(/%../g, (one) => one.toLowerCase())]);
  return [...nested, secret.toLowerCase(), json.replaceAll('/', '\\/'), escaped, ...urls, ...base64Of(secret)];
}

/** The characters of base64 that a secret alone determines, at each of the three places that it may have in a longer text. */
function base64Of(secret: string): string[] {
  const bytes = Array.from(new TextEncoder().encode(secret), (byte) => String.fromCharCode(byte)).join('');
  return [0, 1, 2].flatMap((offset) => {
    const form = btoa('\0'.repeat(offset) + bytes).slice(Math.ceil((offset * 4) / 3), Math.floor(((offset + bytes.length) * 4) / 3));
    return [form, form.replaceAll('+', '-').replaceAll('/', '_')];
  });
}
