import { asked, type Fields, isObject } from '../json/json-value.ts';
import { Problem } from '../json/problem.ts';
import { isCredentialName } from '../secrets/credential-names.ts';
import { withoutTextSecrets } from '../secrets/secrets-in-text.ts';
import { validationError } from './problem.ts';

const placeholder = '[key]';

/**
 * A copy of a JSON value without credentials, for a log or a file. `[key]` replaces texts that look like a key, and the text of a field whose name
 * is a credential's, such as `password`. JSON inside a text of up to 1 MB is treated alike, and all other characters of the text stay. `[key]`
 * also replaces `keys` of 8 or more characters, and their parts between dots, in any form: plain, base64, percent-encoding and JSON. The value may
 * have any depth, and contain itself. A field that cannot be read, because its getter throws, is undefined.
 *
 * @example
 * logger.info(withoutSecrets({ prompt, answer }, [apiKey]));
 */
export function withoutSecrets<T>(value: T, keys: readonly string[] = []): T {
  if (!Array.isArray(keys) || !keys.every((key) => typeof key === 'string'))
    throw validationError('withoutSecrets', new Problem('keys', 'must be a list of texts'));
  return cleaned(
    value,
    keys.flatMap((key) => [key, ...key.split('.')]),
  ) as T;
}

/** Without recursion: a value may be nested deeply, or contain itself. */
function cleaned(value: unknown, secrets: readonly string[]): unknown {
  const text = (given: string): string => withoutTextSecrets(given, secrets, placeholder);
  const copies = new Map<object, object>();
  const left: [from: object, to: object][] = [];
  const copyOf = (one: unknown): unknown => {
    if (typeof one === 'string') return text(one);
    if (!isObject(one)) return one;
    let copy = copies.get(one);
    if (!copy) {
      copies.set(one, (copy = asked(() => Array.isArray(one)) ? [] : {}));
      left.push([one, copy]);
    }
    return copy;
  };
  const result = copyOf(value);
  for (let next = left.pop(); next; next = left.pop()) {
    const [from, to] = next;
    if (Array.isArray(to))
      for (let index = 0; index < (asked(() => (from as []).length) ?? 0); index++) to.push(copyOf(asked<unknown>(() => (from as [])[index])));
    else
      for (const name of asked(() => Object.keys(from)) ?? []) {
        const field = asked(() => (from as Fields)[name]);
        const isSecret = typeof field === 'string' && field !== '' && isCredentialName(name);
        // Not assigned: the name may be `__proto__`.
        Object.defineProperty(to, text(name), {
          value: isSecret ? placeholder : copyOf(field),
          enumerable: true,
          writable: true,
          configurable: true,
        });
      }
  }
  return result;
}
