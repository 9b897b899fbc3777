// The request that a command would send, as data, recorded instead of sending it.
import type { FetchInit } from 'modelsvc/types';

export interface FieldPart {
  readonly name: string;
  readonly value: string;
}

export interface FilePart {
  readonly name: string;
  readonly filename: string;
  readonly type: string;
  readonly size: number;
}

export interface DryRequest {
  readonly method: string;
  readonly url: string;
  /** Without the key. */
  readonly headers: Readonly<Record<string, string>>;
  /** Text of a JSON body. */
  readonly body?: string;
  /** Parts of an upload, without the content of files. */
  readonly form?: readonly (FieldPart | FilePart)[];
}

export const maskedCredential = 'Bearer ***';

/** Reads a request that the client passes to its fetch function. Files are read to their end, for their size. */
export async function recordedRequest(url: string, { method, headers, body }: FetchInit): Promise<DryRequest> {
  const shown = Object.entries(headers).filter(([name]) => name !== 'content-length');
  const request = { method, url, headers: Object.fromEntries(shown.map(([name, value]) => [name, shownValue(name, value)])) };
  if (body === undefined) return request;
  if (typeof body === 'string') return { ...request, body };
  const data = await new Response(body, { headers }).formData();
  return { ...request, form: [...data].map(([name, value]) => partOf(name, value)) };
}

function shownValue(name: string, value: string): string {
  if (name === 'authorization') return maskedCredential;
  // The boundary is random, so it would differ in each run.
  if (name === 'content-type') return value.replace(/; boundary=.*/, '');
  // Gateways may have their own headers for keys.
  return /key|token|secret|cookie|auth/.test(name) ? '***' : value;
}

function partOf(name: string, value: string | File): FieldPart | FilePart {
  return typeof value === 'string' ? { name, value } : { name, filename: value.name, type: value.type, size: value.size };
}
