// The check of a file: its form, and that no credential is in it.

import { isFields } from '../../overlay/json/json-value.ts';
import { checkFields, type KnownFields } from '../../overlay/json/known-fields.ts';
import { Problem } from '../../overlay/json/problem.ts';
import { cleanText } from '../../overlay/secrets/clean.ts';
import { isCredentialName } from '../../overlay/secrets/credential-names.ts';
import {
  type ExchangeFile,
  type ExchangeFrame,
  type ExchangePart,
  type ExchangeRequest,
  type ExchangeResponse,
  ends,
  type Json,
  maxDepth,
  tooDeep,
} from './form.ts';
import { keyIn } from './secrets.ts';

const requestFields: KnownFields<ExchangeRequest> = { method: 1, host: 1, path: 1, headers: 1, body: 1, text: 1, base64: 1, parts: 1 };
const responseFields: KnownFields<ExchangeResponse> = { status: 1, headers: 1, body: 1, text: 1, base64: 1, frames: 1, count: 1, end: 1 };
const frameFields: KnownFields<ExchangeFrame> = { after: 1, event: 1, data: 1, raw: 1, base64: 1 };
const partFields: KnownFields<ExchangePart> = { name: 1, data: 1, filename: 1, type: 1, length: 1, sha256: 1 };

/** Refuse a value that is not an ExchangeFile, or has a text that looks like a credential. Paths of problems begin at the file. */
export function checkFile(file: unknown): ExchangeFile {
  checkNoKeys(file as Json, []);
  checkFields<ExchangeFile>(file, { exchanges: 1, confirm: 1 });
  const { exchanges, confirm } = file as { exchanges?: unknown; confirm?: unknown };
  for (const [index, exchange] of listAt(exchanges, 'exchanges').entries()) checkExchange(exchange, `exchanges[${index}]`);
  if (confirm !== undefined && !isFields(confirm)) throw new Problem('confirm', 'must be an object');
  return file as ExchangeFile;
}

function checkExchange(exchange: unknown, path: string): void {
  checkFields<{ request: 1; response: 1 }>(exchange, { request: 1, response: 1 }, path);
  const { request, response } = exchange as { request: unknown; response: unknown };
  checkRequest(request, `${path}.request`);
  checkResponse(response, `${path}.response`);
}

function checkRequest(request: unknown, path: string): void {
  checkFields(request, requestFields, path);
  const { method, host, path: target, headers, parts } = request as Record<string, unknown>;
  if (!isText(method) || !/^[A-Z]+$/.test(method)) throw new Problem(`${path}.method`, 'must be a method in capitals, for instance POST');
  if (!isText(host) || !/^[^\s/?#@]+$/.test(host)) throw new Problem(`${path}.host`, 'must be a host, for instance api.z.ai');
  if (!isText(target) || !target.startsWith('/')) throw new Problem(`${path}.path`, 'must be a path that begins with /');
  checkHeaders(headers, `${path}.headers`);
  checkBody(request as ExchangeRequest, 'parts', path);
  if (parts !== undefined) for (const [index, part] of listAt(parts, `${path}.parts`).entries()) checkPart(part, `${path}.parts[${index}]`);
}

function checkResponse(response: unknown, path: string): void {
  checkFields(response, responseFields, path);
  const { status, headers, frames, count, end } = response as Record<string, unknown>;
  if (!isCount(status) || status < 200 || status > 599) throw new Problem(`${path}.status`, 'must be a number from 200 to 599');
  checkHeaders(headers, `${path}.headers`);
  checkBody(response as ExchangeResponse, 'frames', path);
  if (end !== undefined && !ends.some((one) => one === end)) throw new Problem(`${path}.end`, `must be one of ${ends.join(', ')}`);
  if (frames === undefined) {
    if (count !== undefined) throw new Problem(`${path}.frames`, 'is missing, but count is there');
    return;
  }
  const list = listAt(frames, `${path}.frames`);
  for (const [index, frame] of list.entries()) checkFrame(frame, `${path}.frames[${index}]`);
  if (!isCount(count)) throw new Problem(`${path}.count`, 'must be the number of frames');
  if (count !== list.length)
    throw new Problem(
      `${path}.frames`,
      `has ${list.length} of ${count} frames`,
      undefined,
      'Record it again, or correct count if you changed it by hand.',
    );
  if (end === undefined) throw new Problem(`${path}.end`, `must be one of ${ends.join(', ')}`);
}

function checkFrame(frame: unknown, path: string): void {
  checkFields(frame, frameFields, path);
  const { after, event, data, raw, base64 } = frame as Record<string, unknown>;
  if (typeof after !== 'number' || !(after >= 0)) throw new Problem(`${path}.after`, 'must be a number of milliseconds');
  if (event !== undefined && !isText(event)) throw new Problem(`${path}.event`, 'must be a text');
  const given = [data, raw, base64].filter((one) => one !== undefined);
  if (given.length !== 1 || !given.every(isText) || (data === undefined && event !== undefined))
    throw new Problem(path, 'must have either data or raw, which are texts, or base64');
}

function checkPart(part: unknown, path: string): void {
  checkFields(part, partFields, path);
  const { length, ...texts } = part as Record<string, unknown>;
  for (const [name, value] of Object.entries({ name: undefined, ...texts }))
    if (!isText(value) && (name === 'name' || value !== undefined)) throw new Problem(`${path}.${name}`, 'must be a text');
  if (length !== undefined && !isCount(length)) throw new Problem(`${path}.length`, 'must be a number of bytes');
}

function checkBody(given: Readonly<Record<string, unknown>> | ExchangeRequest | ExchangeResponse, list: 'parts' | 'frames', path: string): void {
  const fields = given as Readonly<Record<string, unknown>>;
  const kinds = ['body', 'text', 'base64', list].filter((name) => fields[name] !== undefined);
  if (kinds.length > 1) throw new Problem(path, `has ${kinds.join(' and ')}; only one of them can be the body`);
  for (const name of ['text', 'base64'] as const)
    if (fields[name] !== undefined && !isText(fields[name])) throw new Problem(`${path}.${name}`, 'must be a text');
}

function checkHeaders(headers: unknown, path: string): void {
  if (!isFields(headers)) throw new Problem(path, 'must be an object of headers');
  for (const [name, value] of Object.entries(headers)) {
    if (isCredentialName(name)) throw new Problem(`${path}.${name}`, 'must not be in the file: it carries a credential', undefined, keyAdvice);
    if (!isText(value)) throw new Problem(`${path}.${name}`, 'must be a text');
  }
}

const keyAdvice = 'If it is a real key, revoke it, then remove it from the file and from its history.';

/** Refuse a text or a name that looks like a credential. The message has the place only. */
function checkNoKeys(value: Json | undefined, steps: (string | number)[]): void {
  if (steps.length > maxDepth) throw tooDeep(pathOf(steps.slice(0, 8)));
  if (typeof value === 'string') return checkText(value, steps);
  if (typeof value !== 'object' || value === null) return;
  for (const [name, inner] of Object.entries(value)) {
    const kind = Array.isArray(value) ? undefined : keyIn(name);
    if (kind !== undefined) throw new Problem(pathOf(steps), `has a name that looks like ${kind}`, undefined, keyAdvice);
    steps.push(Array.isArray(value) ? Number(name) : name);
    checkNoKeys(inner, steps);
    steps.pop();
  }
}

function checkText(text: string, steps: readonly (string | number)[]): void {
  const kind = keyIn(steps.at(-1) === 'base64' ? Buffer.from(text, 'base64').toString('latin1') : text);
  if (kind !== undefined) throw new Problem(pathOf(steps), `has a text that looks like ${kind}`, undefined, keyAdvice);
}

function pathOf(steps: readonly (string | number)[]): string {
  return steps.map((step, index) => (typeof step === 'number' ? `[${step}]` : `${index === 0 ? '' : '.'}${cleanText(step, [], 64)}`)).join('');
}

function listAt(value: unknown, path: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new Problem(path, 'must be a list');
  return value;
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0;
}
