import { isCredentialName } from './credential-names.ts';
import { isFields } from './json-value.ts';
import { withoutKeys } from './key-shapes.ts';

const placeholder = '[key]';

/**
 * A copy of a JSON value without credentials, for a log or a file: in texts and names of fields, those that look like a key, and `keys` of 8 or
 * more characters, whole or a part between dots, also in base64, percent-encoding and JSON; and the text of a field whose name is that of a
 * credential, such as `password`. Each becomes `[key]`.
 *
 * @example
 * logger.info(withoutSecrets({ prompt, answer }, [apiKey]));
 */
export function withoutSecrets<T>(value: T, keys: readonly string[] = []): T {
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
