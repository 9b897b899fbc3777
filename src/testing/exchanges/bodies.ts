// Bodies as exchanges have them.
import { createHash } from 'node:crypto';
import { jsonOrUndefined } from '../../overlay/json/json-value.ts';
import { type FakePart, partsOf } from '../requests/form-parts.ts';
import type { ExchangeBody, ExchangePart, Json } from './form.ts';

const textTypes = /^(?:text\/|application\/(?:[\w.+-]*\+)?(?:json|xml|x-ndjson|jsonl|javascript|x-www-form-urlencoded))/i;
const jsonTypes = /^application\/(?:[\w.+-]*\+)?json/i;

/** The body of a request or a response. A body that broke off is not JSON. */
export function bodyOf(bytes: Uint8Array, type: string, isComplete: boolean = true): ExchangeBody {
  if (bytes.length === 0) return {};
  const text = type === '' || textTypes.test(type) ? utf8(bytes) : undefined;
  if (text === undefined) return { base64: Buffer.from(bytes).toString('base64') };
  const body = isComplete && (type === '' || jsonTypes.test(type)) ? exactJson(text) : undefined;
  return body === undefined ? { text } : { body };
}

/** The bytes of a body. */
export function bytesOfBody({ body, text, base64 }: ExchangeBody): Uint8Array {
  if (base64 !== undefined) return new Uint8Array(Buffer.from(base64, 'base64'));
  return new TextEncoder().encode(body === undefined ? (text ?? '') : JSON.stringify(body));
}

/** The parts of a form. Undefined if the body is not a form. */
export function formOf(bytes: Uint8Array, type: string): readonly ExchangePart[] | undefined {
  const parts = partsOf(bytes, type);
  return parts.length === 0 ? undefined : parts.map(partOf);
}

function partOf({ name, headers, bytes }: FakePart): ExchangePart {
  const filename = / filename="([^"]*)"/.exec(headers['content-disposition'] ?? '')?.[1];
  const type = headers['content-type'];
  const data = filename === undefined ? utf8(bytes) : undefined;
  if (data !== undefined) return { name, data };
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { name, filename, type, length: bytes.length, sha256 };
}

/** Undefined for bytes that are not UTF-8. */
export function utf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** The value of a JSON text. Undefined if it is not JSON, or has numbers that JavaScript would round. */
function exactJson(text: string): Json | undefined {
  const value = jsonOrUndefined(text) as Json | undefined;
  if (value === undefined) return undefined;
  // Escapes first, so that a string is one run of characters. A repeated group would need a stack as long as the string.
  const numbers =
    text
      .replace(/\\./g, '')
      .replace(/"[^"]*"/g, '""')
      .match(/\d[\d.eE+-]*/g) ?? [];
  return numbers.every(isExact) ? value : undefined;
}

function isExact(number: string): boolean {
  return number.length < 16 ? Number.isFinite(Number(number)) : String(Number(number)) === number;
}
