import type { IncomingMessage } from 'node:http';
import { type FakePart, partsOf } from './form-parts.ts';
import type { RootName } from './roots.ts';

/** A request that the fake received. */
export interface FakeRequest {
  /** Operation of the route, for instance `chat.create`. Undefined if no route matches. */
  readonly operation: string | undefined;
  /** The root in `fake.roots` that received the request. Undefined for the base URL. */
  readonly root: RootName | undefined;
  readonly method: string;
  /** Path without the query. */
  readonly path: string;
  /** Path and query as they came. */
  readonly target: string;
  /** Path and query parameters. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Headers by lower-case name, including the key, because this is a test server. */
  readonly headers: Readonly<Record<string, string>>;
  /** JSON is parsed. Multipart becomes an object of fields, with files as `FakeFile` and parts of JSON parsed. Other types are bytes. Undefined if empty. */
  readonly body: unknown;
  /** The raw body. */
  readonly bytes: Uint8Array;
  /** Bytes of a body that `keepBytes` no longer keeps: `body` is undefined then, `bytes` and `parts` are empty. 0 while it is kept. */
  readonly droppedBytes: number;
  /** Parts of a multipart body in order, with their headers. Empty for other bodies. */
  readonly parts: readonly FakePart[];
  /** Arrival of the request headers, in epoch milliseconds. */
  readonly at: number;
  /** Request id. The reply has it in `x-log-id`. */
  readonly requestId: string;
  /** `open` while in flight, then `answered` completely, `cut` by a fault, or `left` by the client before the end. */
  readonly outcome: 'open' | 'answered' | 'cut' | 'left';
  /** HTTP status of the answer. Undefined while the request is in flight, and if no header was sent. */
  readonly status: number | undefined;
  /** Number of earlier messages whose `reasoning_content` the service drops: none on the coding root, nor with `clear_thinking: false`. */
  readonly droppedThoughts: number;
  /**
   * Parts that the service may ignore or refuse, without evidence of either: a field that looks misspelled, and roles that its documents do
   * not list. For instance `messages[1].role is not one of system, user, assistant, tool`.
   */
  readonly warnings: readonly string[];
  /** Set if the fake refused the request: an unknown path, a wrong key, or a request that the service rejects. */
  readonly refusal: FakeRefusal | undefined;
}

/** A refusal of the fake. */
export interface FakeRefusal {
  /** HTTP status. Monitor, biz, agents and the synchronous parser report an invalid request under 200. */
  readonly status: number;
  /** Business code. */
  readonly code: string;
  /** The reason, also where the service's message does not contain it. */
  readonly reason: string;
}

/** A file of a multipart body. */
export interface FakeFile {
  readonly name: string;
  readonly type: string;
  readonly bytes: Uint8Array;
}

/** The headers of a request. Multiple values are joined with a comma. */
export function headersOf(incoming: IncomingMessage): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(incoming.headers)) if (value !== undefined) headers[name] = [value].flat().join(', ');
  return headers;
}

export async function readBytes(incoming: IncomingMessage): Promise<Uint8Array> {
  const blocks: Uint8Array[] = [];
  for await (const block of incoming) blocks.push(block as Uint8Array);
  return Buffer.concat(blocks);
}

/** Marks a body that does not match its content type. */
export const unreadable: unique symbol = Symbol('unreadable');

const jsonType = /^application\/([\w.+-]+\+)?json/;

/** Parses a body according to its content type. */
export async function parseBody(bytes: Uint8Array, contentType: string): Promise<unknown> {
  if (bytes.length === 0) return undefined;
  try {
    if (jsonType.test(contentType)) return JSON.parse(new TextDecoder().decode(bytes)) as unknown;
    if (contentType.startsWith('multipart/form-data')) return await formFields(bytes, contentType);
  } catch {
    return unreadable;
  }
  return bytes;
}

async function formFields(bytes: Uint8Array, contentType: string): Promise<Record<string, unknown>> {
  const form = await new Response(bytes as Uint8Array<ArrayBuffer>, { headers: { 'content-type': contentType } }).formData();
  const fields: Record<string, unknown> = {};
  const parts = partsOf(bytes, contentType);
  for (const [index, [name, part]] of [...form].entries()) {
    const isJson = jsonType.test(parts[index]?.headers['content-type'] ?? '');
    const value =
      typeof part === 'string'
        ? isJson
          ? (JSON.parse(part) as unknown)
          : part
        : { name: part.name, type: part.type, bytes: new Uint8Array(await part.arrayBuffer()) };
    fields[name] = name in fields ? [fields[name], value].flat() : value;
  }
  return fields;
}

/** Makes an id in the form of the service's log ids: the time in UTC+8, then hex digits. */
export function newRequestId(): string {
  const time = new Date(Date.now() + 8 * 3_600_000).toISOString().replace(/\D/g, '').slice(0, 14);
  return time + Math.random().toString(16).slice(2, 10).padEnd(8, '0') + Math.random().toString(16).slice(2, 10).padEnd(8, '0');
}
