// API keys: their check, and the two forms in which they are shown.
import { createHash } from 'node:crypto';
import { CliError, exitCodes } from '../errors/exit.ts';

/** Shows an API key as `abcd…wxyz`. A short key is hidden completely. */
export function maskedKey(key: string): string {
  return key.length < 16 ? '…' : `${key.slice(0, 4)}…${key.slice(-4)}`;
}

/** Identifies a key without revealing it: `sha256:` and 8 hex digits. */
export function fingerprint(key: string): string {
  return `sha256:${createHash('sha256').update(key).digest('hex').slice(0, 8)}`;
}

/** `NAME=KEY`, `export NAME="KEY"`. A key itself has an equals sign only at its end. */
const assignment = /^(?:export\s+|set\s+|\$env:)?[\w.-]+\s*=\s*[^\s=]/i;

/** `api_key: KEY`, `{"api_key":"KEY"}`, `x-api-key:KEY`. */
const field = /^\{?\s*["']?[\w.-]*(?:key|token|secret|authorization)["']?\s*:\s*\S/i;

/** The key in a text: its first line, without one pair of quotes around it. Throws a CliError that names the place if that line is not a key, or not all of it. */
export function keyIn(place: string, text: string): string {
  const [first = '', ...others] = text.split(/\r?\n/);
  const line = first.replace(/^\uFEFF/, '').trim();
  if (assignment.test(line) || field.test(line))
    throw new CliError(`the first line of ${place} is a name with a value`, exitCodes.auth, 'Leave only the key there, without the name.');
  const key = (/^(["'`])(.*)\1$/.exec(line)?.[2] ?? line).trim();
  if (/^["'`]|["'`]$/.test(key)) throw new CliError(`the key of ${place} has a quote at its begin or end`, exitCodes.auth, 'Remove the quotes.');
  if (key === '') throw new CliError(`${place} contains no API key`, exitCodes.auth, 'Its first line must be the key.');
  // Editors and mail break long lines.
  if (others.some((other) => other.trim().length > 3 && /^[\w.+/=~-]+["'`]?$/.test(other.trim())))
    throw new CliError(`${place} has the text of a key on more than one line`, exitCodes.auth, 'Write the key on one line, without other lines.');
  if (!/^[\x21-\x7e]{1,1024}$/.test(key))
    throw new CliError(`the first line of ${place} is not an API key`, exitCodes.auth, 'A key has up to 1024 ASCII characters and no spaces.');
  return key;
}
