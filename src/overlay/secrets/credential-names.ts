/** Names of headers, fields and parameters that carry a credential. */
import { minSecretLength } from './secrets.ts';

/** Words that mark any name as a credential's. */
const stems =
  /secret(?!ar)|passw|passphrase|passcode|credential|apikey|accesskey|privatekey|signingkey|encryptionkey|authkey|subscriptionkey|accountkey|sharedkey|masterkey|gatewaykey|sessionkey/;
const whole = /^(?:x?(?:auth|jwt|pwd|pass|otp|sas|sid|sessionid)|(?:set)?cookies?|(?:proxy|x)?authorization|.*token)$/;
/** Only in a query: fields with these names are ordinary, for instance the signature of a thought. */
const parameters = /^(?:sig|sign|(?:x?amz|xgoog|xoss).+|.*(?:key|keyid|keypairid|signature))$/;

/** The form in which names are compared: without case, `_`, `-` and `.`. */
export function plainName(name: string): string {
  return name.toLowerCase().replace(/[_.-]/g, '');
}

/** True for the name of a field that carries a credential. */
export function isCredentialName(name: string): boolean {
  const plain = plainName(name);
  return stems.test(plain) || whole.test(plain);
}

/** True for the name of a query parameter that carries a credential, or a part of a signature. */
export function isCredentialParameter(name: string): boolean {
  return isCredentialName(name) || parameters.test(plainName(name));
}

/** The only headers whose values are not credentials. Ids differ in each request, and are not worth a search in all that follows. */
const harmless =
  /^(?:accept(?:-.+)?|access-control-.+|anthropic-(?:version|beta|dangerous-direct-browser-access)|b3|baggage|cache-control|connection|content-.+|date|dnt|expect|host|http-referer|idempotency-key|if-.+|keep-alive|openai-beta|origin|pragma|priority|range|retry-after(?:-ms)?|sec-.+|sentry-trace|te|trace(?:parent|state)|trailer|transfer-encoding|upgrade(?:-.+)?|user-agent|via|(?:x-)?(?:client-)?(?:log|request|correlation|trace)-id|x-(?:b3|stainless)-.+|x-title)$/;

export function isHarmlessHeader(name: string): boolean {
  return harmless.test(name.toLowerCase());
}

/** True for a header that carries a credential by its name. */
export function isCredentialHeader(name: string): boolean {
  return !isHarmlessHeader(name) && (isCredentialName(name) || /key$/.test(plainName(name)));
}

/**
 * The credentials in the headers of a request: every value outside the list of harmless headers, without its scheme and the names of
 * cookies, and decoded. `only` narrows the headers, for a response.
 */
export function credentialsIn(
  headers: Readonly<Record<string, string>>,
  only: (name: string) => boolean = (name) => !isHarmlessHeader(name),
): string[] {
  const values = Object.entries(headers).flatMap(([name, value]) => {
    if (!only(name)) return [];
    const words = value.split(/[\s;,]+/);
    // Parts of other values are often ordinary words. A token may have the sign that ends the name of a cookie.
    const own = isCredentialHeader(name) ? words : words.length === 2 ? words.slice(1) : [];
    const parts = own.flatMap((part) => [part, part.replace(/^[\w-]+=(?=[^=])/, '')]);
    return [value.trim(), ...parts.flatMap((part) => [part, ...part.split('.')]), ...[value.trim(), ...parts].flatMap(decoded)];
  });
  return [...new Set(values)].filter((text) => text.length >= minSecretLength);
}

/** A credential in clear: percent-encoded cookies, and the user and the password of Basic. */
function decoded(text: string): string[] {
  const found: string[] = [];
  try {
    if (text.includes('%')) found.push(decodeURIComponent(text));
  } catch {
    // It is not percent-encoding.
  }
  try {
    const plain = /^[\w+/-]+={0,2}$/.test(text) ? atob(text.replaceAll('-', '+').replaceAll('_', '/')) : '';
    const [user = ''] = plain.split(':', 1);
    if (/^[\x20-\x7e]+$/.test(plain)) found.push(plain, user, plain.slice(user.length + 1));
  } catch {
    // It is not base64.
  }
  return found;
}
