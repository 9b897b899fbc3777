// The body, query and headers of a raw call, from its options.
import { usageError } from '../../errors/exit.ts';
import { jsonValue } from '../../files/json.ts';
import { type Input, textOrFile } from '../../input/input.ts';
import type { Screen } from '../../terminal/screen.ts';

export interface RawRequest {
  readonly query?: Readonly<Record<string, unknown>>;
  /** Text of a JSON body. */
  readonly body?: string;
  readonly headers: Readonly<Record<string, string>>;
}

export async function rawRequest(screen: Screen, method: string, input: Input): Promise<RawRequest> {
  const headers = Object.fromEntries(input.list('header').map((text) => pair('--header', text, ':')));
  if (Object.keys(headers).some((name) => /^((proxy-)?authorization|(x-)?api-key|cookie)$/i.test(name)))
    throw usageError('--header contains a credential', 'Pass the key with --api-key-file, --account or SVC_API_KEY.');
  for (const [name, value] of Object.entries(headers)) {
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) throw usageError(`--header: ${JSON.stringify(name)} is not the name of a header`, 'Write NAME:VALUE.');
    if (!/^[\t\x20-\x7e]*$/.test(value)) throw usageError(`--header ${name} has a character that headers cannot have`, 'Use ASCII characters.');
  }
  const data = input.text('data');
  const given = input.list('field');
  if (data !== undefined && given.length > 0) throw usageError('--field and --data exclude each other');
  const wantsStream = input.flag('stream');
  const fields: Record<string, unknown> = {};
  for (const text of given) {
    const [name, value] = pair('--field', text, '=');
    fields[name] = value.startsWith('@') ? await textOrFile('--field', value, () => screen.stdinText()) : jsonOrText(value);
  }
  if (method === 'GET') {
    if (data !== undefined || wantsStream) throw usageError(`a GET request has no body, so it cannot have ${wantsStream ? '--stream' : '--data'}`);
    return { headers, ...(given.length > 0 && { query: fields }) };
  }
  const text = await input.wholeText('data', () => screen.stdinText());
  if (text === undefined)
    return { headers, ...((given.length > 0 || wantsStream) && { body: bodyText({ ...fields, ...(wantsStream && { stream: true }) }) }) };
  const value = parsed(text);
  if (!wantsStream) return { headers, body: text };
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw usageError('--stream needs a body that is a JSON object');
  return { headers, body: bodyText({ ...value, stream: true }) };
}

function pair(option: string, text: string, mark: string): readonly [name: string, value: string] {
  const at = text.indexOf(mark);
  if (at < 1) throw usageError(`${option} must be NAME${mark}VALUE, not ${JSON.stringify(text)}`);
  const value = text.slice(at + 1);
  return [text.slice(0, at).trim(), mark === ':' ? value.trim() : value];
}

function jsonOrText(text: string): unknown {
  const value = jsonValue(text);
  if (value !== undefined) return value;
  return text.startsWith('\\@') ? text.slice(1) : text;
}

function bodyText(fields: object): string {
  return JSON.stringify(fields);
}

function parsed(text: string): unknown {
  const value = jsonValue(text);
  if (value === undefined) throw usageError('--data is not JSON', 'Pass JSON, @FILE, or single fields with --field NAME=VALUE.');
  return value;
}
