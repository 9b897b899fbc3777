import { isCredentialName } from './credential-names.ts';
import { isFields } from './json-value.ts';
import { withoutKeys } from './key-shapes.ts';
import { Problem, validationError } from './problem.ts';

const placeholder = '[key]';

/**
 * A copy of a JSON value without credentials, for a log or a file. `[key]` replaces texts that look like a key, and the text of a field whose name
 * is that of a credential, such as `password`. It also replaces `keys` of 8 or more characters, and their parts between dots, in any form: plain,
 * base64, percent-encoding and JSON.
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

function cleaned(value: unknown, secrets: readonly string[]): unknown {
  if (typeof value === 'string') return withoutKeys(value, secrets, placeholder);
  if (Array.isArray(value)) return value.map((item) => cleaned(item, secrets));
  if (!isFields(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [
      withoutKeys(name, secrets, placeholder),
      isCredentialName(name) && typeof field === 'string' && field !== '' ? placeholder : cleaned(field, secrets),
    ]),
  );
}
